-- The unfinished runs of one job on a lease store.
--
-- RUNS has each under its slot, and under 'newest' the newest slot that was ever
-- granted. A run's lease ends at 'ends' and was given for 'lease'. It has all that is
-- in the record of its attempt, and is read in place of that until the attempt ends.

local RUNS = KEYS[3]
