from __future__ import annotations

import threading
import time

from warehouse.turns import TurnLock


def test_one_at_a_time() -> None:
    lock, inside, most = TurnLock(), [0], [0]

    def work(number: int) -> None:
        for _ in range(50):
            with lock.turn(urgent=number % 2 == 0):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most[0], inside[0]) == (1, 0)


def test_urgent_callers_go_first() -> None:
    lock, order = TurnLock(), []

    def wait(name: str, urgent: bool) -> None:
        with lock.turn(urgent=urgent):
            order.append(name)

    with lock.turn():
        threads = []
        for name, urgent in (("bulk 1", False), ("bulk 2", False), ("person", True)):
            threads.append(threading.Thread(target=wait, args=(name, urgent)))
            threads[-1].start()
            time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert order[0] == "person"
    assert len(order) == 3


def test_an_error_gives_the_turn_up() -> None:
    lock = TurnLock()
    try:
        with lock.turn(urgent=True):
            raise KeyError
    except KeyError:
        pass
    with lock.turn():
        pass
