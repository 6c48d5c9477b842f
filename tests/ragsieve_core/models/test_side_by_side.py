"""Items at once, one core each, without a trace in the rest of the process."""

import threading

import pytest

from ragsieve_core.models.side_by_side import run_side_by_side

torch = pytest.importorskip("torch")


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_as_many_at_once_as_threads_and_each_on_one_core(threads) -> None:
    together = threading.Barrier(threads)

    def seen(number: int) -> tuple[int, int]:
        together.wait(10)  # nobody leaves before all are there: they run at once
        return number, torch.get_num_threads()

    found = [future.result(20) for future in run_side_by_side(seen, range(threads * 2))]
    assert found == [(number, 1) for number in range(threads * 2)]
    assert torch.get_num_threads() == threads


def test_a_product_is_the_same_whatever_the_number_of_threads(threads) -> None:
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(301, 577, generator=generator), torch.randn(577, 1023, generator=generator))
    alone = run_side_by_side(lambda _: left @ right, [0])[0].result()
    many = [future.result() for future in run_side_by_side(lambda _: left @ right, range(6))]
    assert all(torch.equal(alone, one) for one in many)


def test_an_error_belongs_to_its_item(threads) -> None:
    futures = run_side_by_side(lambda number: 1 // number, [1, 0, 1])
    assert [futures[0].result(), futures[2].result()] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        futures[1].result()
