"""Rules of the review desk as functions of plain data: no clock, disk or database inside."""
