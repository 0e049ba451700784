"""Leaks, to be planted in the product one at a time: what the comparison is known to find.

| leak | where it is planted | found by |
|---|---|---|
| a hash of the state among the looks | services.trails: read_looks | looks |
| a hash of the state in a verification | services.verifying: read_verification | verification |
| a hash of the state where there is no proof yet | services.proving: prove_event | proof |
| bodies in the trail | services.trails: read_trail | trail |
| what a closed event really is, in the trail | services.trails: read_trail | trail |
| reasons made of closed bodies, in a spreadsheet | services.trails: trail_as_csv | trail CSV |
| what the checks read, while the game runs | services.verifying: verify_game | verification |
| a fork of a running game, in which to play on and see | services.forks: fork_game | forks |
| bodies of closed events | audit.event: may_see | events |
| salts of closed events | audit.event: event_json | events |
| for whom an event is sealed | audit.event: event_json | events |
| a length: the size of a closed body without its padding | audit.event: event_json | events |
| a number: some closed events are left out | services.reading: stream_events | events |
| bodies where events come as lines | services.reading: stream_events | events NDJSON |
| a record as the referee's | services.reading: export_record | export |
| a prediction in a note | santiiba: describe | replay en |
| a rumour's value in a note | desertsons: describe | replay de |
| notes for the referee in one language | services.reading: stream_frames | replay fr |
| views for the referee in frames | services.reading: stream_frames | replay nl |
| a line in a log for people | api.reading: replay_game | replay text |
| the order of legal moves | closed_hands: legal | legal moves |
| the number of legal moves: no hopeless guess is listed | tiwanaku: legal | legal moves |
| what a move would bring to light, in its preview | services.moves: preview_move | preview |
| the target in the text of a refusal | closed_hands: apply | refused moves |
| the target as a fact of a refusal | closed_hands: apply | refused moves |
| the code of a refusal, in a preview | closed_hands: apply | preview |
| the board, to a seat that is not awaited | services.moves: require_turn | refused moves |
| missed events as the referee sees them | services.moves: require_turn | stale decision |
| others' cards in the answer to a move | services.moves: submit_move | own moves |
| others' cards in the answer to a repeated move | services.submission: find_written | repeated moves |
| a receipt over the state | services.showing: show_receipt | own moves |
| closed predictions | santiiba: view | state |
| the whole board | tiwanaku: view | state |
| a count: how many of each crop the board has | tiwanaku: view | state |
| rumours on goods | desertsons: view | state |
| a sum: prices by all rumours | desertsons: view | state |
| the target | closed_hands: view | state |
| the order of a view's members | closed_hands: view | state |
| an earlier standing as the referee saw it | services.reading: state_at | state at |
| a spectator's view kept from another observer's | services.reading: spectator_state | state again |
| a length: as many blanks after the body as the target says | api.reading: read_state | state |
| a header | api.reading: read_state | state |
| an ETag made of the state | services.reading: Look.etag | ETag |
| decisions made of the state | audit.game: Game.decision | legal moves |
| who is awaited, in the order of their cards | services.showing: show_awaiting | game |
| a provisional outcome | services.showing: show_outcome | state |
| a hash of the state in the game | services.showing: show_game | game |
| a hash of the state in a list of games | services.games: find_games | list of games |
| looking as the referee where `as` is left out | services.access: own_observer | state |
| looking as any seat, or as the referee | services.access: observer_named | as |
| legal moves of another seat | services.access: deciding_seat | other's legal moves |
"""

from tests.sight.leaks import of_audit, of_events, of_moves, of_states
from tests.sight.leaks.table import LEAKS, Leak

__all__ = ["LEAKS", "Leak", "of_audit", "of_events", "of_moves", "of_states"]
