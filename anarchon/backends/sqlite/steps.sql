-- state: a job's newest granted slot, beside each of its unfinished runs, oldest first
SELECT newest, slot, attempt, token, instance_id, until, lease, spent, freed
FROM "{namespace}_jobs" LEFT JOIN "{namespace}_runs" USING (job)
WHERE job = :job
ORDER BY slot;

-- unfinished: every unfinished run of every job
SELECT job, slot, attempt, token, instance_id, until, lease, spent, freed
FROM "{namespace}_runs"
ORDER BY job, slot;

-- set_back: bring the end of a lease near enough to be true
UPDATE "{namespace}_runs" SET until = :until
WHERE job = :job AND slot = :slot;

-- set_newest: move the newest granted slot of a job
INSERT INTO "{namespace}_jobs" (job, newest) VALUES (:job, :newest)
ON CONFLICT (job) DO UPDATE SET newest = excluded.newest;

-- put_run: write a run as it was granted, in place of the attempt before
INSERT OR REPLACE INTO "{namespace}_runs"
    (job, slot, attempt, token, instance_id, until, lease, spent, freed)
VALUES (:job, :slot, :attempt, :token, :instance_id, :until, :lease, 0, :freed);

-- drop_run: forget a run that has ended for good
DELETE FROM "{namespace}_runs"
WHERE job = :job AND slot = :slot;

-- beat: push the lease's end, if the token may still do so
UPDATE "{namespace}_runs" SET until = :until, lease = :lease
WHERE job = :job AND slot = :slot AND token = :token AND NOT spent
RETURNING attempt;

-- spend: end the lease and spend the token, if it may still act
UPDATE "{namespace}_runs" SET until = :now, lease = 0, spent = 1, freed = freed + 1
WHERE job = :job AND slot = :slot AND token = :token AND NOT spent
RETURNING attempt;

-- is_spent: whether the token was the one that was spent last
SELECT attempt FROM "{namespace}_runs"
WHERE job = :job AND slot = :slot AND token = :token;

-- finish_run: end a run, if the token may still do so
DELETE FROM "{namespace}_runs"
WHERE job = :job AND slot = :slot AND token = :token AND NOT spent
RETURNING attempt;

-- open_record: begin the record of an attempt that was granted
INSERT INTO "{namespace}_records"
    (job, slot, attempt, token, reason, instance_id, started, status, handed_over)
VALUES (:job, :slot, :attempt, :token, :reason, :instance_id, :now, 'running', 0);

-- add_record: write a whole record, unless it is there
INSERT OR IGNORE INTO "{namespace}_records"
    (job, slot, attempt, token, reason, instance_id, started,
     ended, status, duration, error, handed_over)
VALUES
    (:job, :slot, :attempt, :token, :reason, :instance_id, :started,
     :ended, :status, :duration, :error, :handed_over)
RETURNING attempt;

-- end_record: write how the runner says that its attempt ended
UPDATE "{namespace}_records"
SET ended = :now, status = :status, duration = :duration, error = :error
WHERE job = :job AND slot = :slot AND attempt = :attempt AND token = :token;

-- interrupt: write an end that the runner didn't tell, unless there is one
UPDATE "{namespace}_records" SET ended = :now, status = 'interrupted'
WHERE job = :job AND slot = :slot AND attempt = :attempt AND token = :token
    AND ended IS NULL;

-- hand_over: write that the runner gave its attempt away
UPDATE "{namespace}_records"
SET ended = :now, status = 'interrupted', handed_over = 1
WHERE job = :job AND slot = :slot AND attempt = :attempt AND token = :token
    AND ended IS NULL;

-- ended_as: whether this token's record has exactly this end
SELECT attempt FROM "{namespace}_records"
WHERE job = :job AND slot = :slot AND token = :token
    AND status = :status AND duration IS :duration AND error IS :error;

-- last_runner: who ran a slot last, manual runs apart
SELECT instance_id FROM "{namespace}_records"
WHERE job = :job AND slot = :slot AND reason <> 'manual'
ORDER BY attempt DESC LIMIT 1;

-- record: one record
SELECT job, slot, attempt, status, reason, instance_id, started, ended,
    duration, error, handed_over
FROM "{namespace}_records"
WHERE job = :job AND slot = :slot AND attempt = :attempt AND token = :token;

-- history: the newest records of a job, newest first
SELECT job, slot, attempt, status, reason, instance_id, started, ended,
    duration, error, handed_over
FROM "{namespace}_records"
WHERE job = :job
ORDER BY started DESC, attempt DESC, slot DESC, token DESC LIMIT :limit;

-- trim: drop what is older than the newest records, ended long ago, and is no part of
-- an unfinished run
DELETE FROM "{namespace}_records" AS old
WHERE job = :job AND started < :young AND ended < :young
    AND (started, attempt, slot, token) < (
        SELECT started, attempt, slot, token FROM "{namespace}_records"
        WHERE job = :job
        ORDER BY started DESC, attempt DESC, slot DESC, token DESC
        LIMIT 1 OFFSET :keep - 1
    )
    AND NOT EXISTS (
        SELECT 1 FROM "{namespace}_runs" AS run
        WHERE run.job = old.job AND run.slot = old.slot AND old.reason <> 'manual'
    );

-- trim_manual: drop the manual ones among what is older than the newest records
DELETE FROM "{namespace}_records"
WHERE job = :job AND reason = 'manual'
    AND (started, attempt, slot, token) < (
        SELECT started, attempt, slot, token FROM "{namespace}_records"
        WHERE job = :job
        ORDER BY started DESC, attempt DESC, slot DESC, token DESC
        LIMIT 1 OFFSET :keep - 1
    );
