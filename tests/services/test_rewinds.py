"""Which events count as taken back."""

from __future__ import annotations

from moveledger.services.rewinds import mark_rewound


def test_without_rewinds_everything_stands() -> None:
    assert mark_rewound([]) == {}


def test_what_lies_between_the_ruling_and_where_it_goes_back_to_is_taken_back() -> None:
    assert mark_rewound([(10, 6)]) == {7: 10, 8: 10, 9: 10}


def test_of_two_rewinds_over_the_same_events_the_first_is_named_and_the_first_is_taken_back_itself() -> None:
    assert mark_rewound([(10, 8), (12, 6)]) == {7: 12, 8: 12, 9: 10, 10: 12, 11: 12}


def test_a_rewind_into_what_was_taken_back_lets_it_stand_again() -> None:
    assert mark_rewound([(10, 6), (12, 8)]) == {9: 10, 10: 12, 11: 12}
