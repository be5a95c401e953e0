-- The step of a claim. Its parts are functions of their own, each called by the step
-- alone: "claim" has locked the job and read the clock, "at" is what it read.

-- enter: lock a job until the end of the transaction, then read the clock
--
-- Every step that changes something begins so, in a statement of its own: only what is
-- read after the lock is sure to show what the step before has written. The lock is an
-- advisory one, since to lock a row is to write it, and would cost a claim that isn't
-- granted a write to disk. Two jobs whose locks fall together wait for each other.
-- A test's clock comes as "given"; else it is null.
CREATE FUNCTION {schema}.enter(of_job text, given bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE 'anarchon needs transactions that are read committed, not %',
            current_setting('transaction_isolation');
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('{schema} ' || of_job, 0));
    RETURN coalesce(given, {schema}.clock());
END $$;

-- claim: answer a claim (L1 to L6, L9)
CREATE FUNCTION {schema}.claim(asked {schema}.request, given bigint) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    at bigint := {schema}.enter(asked.job, given);
    other {schema}.runs;
    own {schema}.runs;
    rival {schema}.runs;
    older boolean := false;
    newest {schema}.runs;
BEGIN
    FOR other IN
        SELECT * FROM {schema}.runs WHERE job = asked.job ORDER BY slot
    LOOP
        newest := other;
        CONTINUE WHEN other.ended;
        IF other.until > at + other.lease THEN
            other := {schema}.set_back(other, at);
        END IF;
        IF other.slot = asked.slot THEN
            own := other;
        ELSIF rival.slot IS NULL AND other.until > at THEN
            rival := other;
        END IF;
        older := older OR other.slot < asked.slot;
    END LOOP;
    IF own.slot IS NULL THEN
        RETURN {schema}.first_attempt(asked, at, newest, rival, older);
    END IF;
    RETURN {schema}.next_attempt(asked, at, newest.slot, own, rival);
END $$;

-- next_attempt: answer a claim of a run that is unfinished
CREATE FUNCTION {schema}.next_attempt(
    asked {schema}.request, at bigint, newest bigint,
    own {schema}.runs, rival {schema}.runs
) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    IF own.token = asked.token AND NOT own.spent THEN
        RETURN json_build_object('is', 'won', 'now', at, 'attempt', own.attempt,
            'left', least(own.until - at, own.lease));
    END IF;
    IF own.until > at OR asked.attempt <> own.attempt + 1 THEN
        RETURN {schema}.in_the_way('running', at, own);
    END IF;
    IF asked.skip AND rival.slot IS NOT NULL THEN
        RETURN {schema}.in_the_way('overlapping', at, rival);
    END IF;
    IF own.attempt - own.freed >= asked.max_attempts THEN
        RETURN {schema}.used_up(at, newest, own);
    END IF;
    RETURN {schema}.take_over(asked, at, newest, own);
END $$;

-- first_attempt: answer a claim of a slot that has no unfinished run
CREATE FUNCTION {schema}.first_attempt(
    asked {schema}.request, at bigint, newest {schema}.runs,
    rival {schema}.runs, older boolean
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    over json;
    untrimmed integer := (coalesce(newest.untrimmed, 0) + 1) % 16;
BEGIN
    IF asked.slot <= newest.slot THEN
        RETURN {schema}.done(asked, at, newest);
    END IF;
    IF asked.mode = 'takeover' THEN
        RETURN json_build_object('is', 'no run', 'now', at,
            'could', at <= asked.slot + asked.startable);
    END IF;
    IF asked.slot > at THEN
        RETURN json_build_object('is', 'early', 'now', at);
    END IF;
    IF at > asked.slot + asked.within THEN
        RETURN json_build_object('is', 'late', 'now', at);
    END IF;
    IF asked.skip AND rival.slot IS NOT NULL THEN
        RETURN {schema}.in_the_way('overlapping', at, rival);
    END IF;
    IF asked.skip AND older THEN
        -- nothing else of the job is alive here, so every older run is dead
        over := {schema}.end_for_good(asked.job, NULL, asked.slot - 1, at);
    END IF;
    INSERT INTO {schema}.runs VALUES (asked.job, asked.slot, 1, asked.token,
        asked.instance_id, at, at + asked.lease, asked.lease, false, 0, false,
        asked.keep, at - asked.keep_for, untrimmed);
    INSERT INTO {schema}.records VALUES (asked.job, at, 1, asked.slot, asked.token,
        asked.mode, asked.instance_id, NULL, 'running', NULL, NULL, 0);
    IF untrimmed = 0 THEN
        PERFORM {schema}.trim(asked.job, asked.slot, at);
    END IF;
    RETURN json_build_object('is', 'won', 'now', at, 'attempt', 1,
        'left', asked.lease, 'ended', over);
END $$;

-- take_over: grant the next attempt of a run whose lease ran out
CREATE FUNCTION {schema}.take_over(
    asked {schema}.request, at bigint, newest bigint, own {schema}.runs
) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM {schema}.interrupt(own, at);
    UPDATE {schema}.runs
    SET attempt = asked.attempt, token = asked.token, instance_id = asked.instance_id,
        started = at, until = at + asked.lease, lease = asked.lease, spent = false,
        keep = asked.keep, young = at - asked.keep_for
    WHERE job = own.job AND slot = own.slot;
    INSERT INTO {schema}.records VALUES (asked.job, at, asked.attempt, asked.slot,
        asked.token, asked.mode, asked.instance_id, NULL, 'running', NULL, NULL, 0);
    PERFORM {schema}.trim(asked.job, newest, at);
    RETURN json_build_object('is', 'won', 'now', at, 'attempt', asked.attempt,
        'left', asked.lease, 'taken_from', own.instance_id, 'waited', at - own.until);
END $$;

-- used_up: end a run that has no attempts left
CREATE FUNCTION {schema}.used_up(
    at bigint, newest bigint, own {schema}.runs
) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    RETURN json_build_object('is', 'done', 'now', at, 'superseded', false,
        'newest', newest, 'instance_id', own.instance_id,
        'ended', {schema}.end_for_good(own.job, own.slot, own.slot, at));
END $$;

-- done: tell of a slot that is over; the newest, which nearly all ask for, by its run,
-- whose last record is always kept, and an older one by its records, if there are any
CREATE FUNCTION {schema}.done(
    asked {schema}.request, at bigint, newest {schema}.runs
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    runner text := newest.instance_id;
BEGIN
    IF asked.slot < newest.slot THEN
        runner := (
            SELECT instance_id FROM {schema}.kept(asked.job)
            WHERE slot = asked.slot AND reason <> 'manual'
            ORDER BY attempt DESC LIMIT 1
        );
    END IF;
    RETURN json_build_object('is', 'done', 'now', at, 'superseded', runner IS NULL,
        'newest', newest.slot, 'instance_id', runner);
END $$;

-- in_the_way: tell of the run that keeps a claim from being granted
CREATE FUNCTION {schema}.in_the_way(
    answer text, at bigint, run {schema}.runs
) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('is', answer, 'now', at, 'slot', run.slot,
        'attempt', run.attempt, 'left', least(run.until - at, run.lease),
        'instance_id', run.instance_id)
$$;

-- set_back: bring the end of a lease near enough to be true (L9)
CREATE FUNCTION {schema}.set_back(run {schema}.runs, at bigint) RETURNS {schema}.runs
LANGUAGE sql AS $$
    UPDATE {schema}.runs SET until = at + lease
    WHERE job = run.job AND slot = run.slot
    RETURNING *
$$;

-- over: the records that are no part of the history any more, as of the newest grant:
-- older than the newest ones, ended long ago, and no part of an unfinished run; by the
-- time "at", if it is given, where the clock was set back since
CREATE FUNCTION {schema}.over(of_job text, at bigint) RETURNS SETOF {schema}.records
LANGUAGE sql STABLE AS $$
    SELECT old.* FROM {schema}.records AS old, (
        SELECT keep, least(young, at - (started - young)) AS young
        FROM {schema}.runs WHERE job = of_job
        ORDER BY slot DESC LIMIT 1
    ) AS newest
    WHERE job = of_job AND started < young AND ended < young
        AND (started, attempt, slot, token) < (
            SELECT started, attempt, slot, token FROM {schema}.records
            WHERE job = of_job
            ORDER BY started DESC, attempt DESC, slot DESC, token DESC
            LIMIT 1 OFFSET keep - 1
        )
        AND NOT EXISTS (
            SELECT FROM {schema}.runs AS run
            WHERE run.job = old.job AND run.slot = old.slot AND NOT run.ended
                AND old.reason <> 'manual'
        )
$$;

-- kept: the records that are part of the history
CREATE FUNCTION {schema}.kept(of_job text) RETURNS SETOF {schema}.records
LANGUAGE sql STABLE AS $$
    SELECT * FROM {schema}.records
    WHERE job = of_job AND (started, attempt, slot, token) NOT IN (
        SELECT started, attempt, slot, token FROM {schema}.over(of_job, NULL)
    )
$$;

-- trim: drop the records that are over, and the runs that tell nothing any more
--
-- It takes longer than all else that a claim does, so few claims do it. By the index,
-- also where one job has nearly all rows: by what the statistics say, it would then be
-- as well to read them all; and not by a bitmap, which has all that was ever dropped
-- looked at again. It is planned once in a session, which takes longer than to do it.
CREATE FUNCTION {schema}.trim(of_job text, newest bigint, at bigint) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    DELETE FROM {schema}.records AS old USING {schema}.over(of_job, at) AS gone
    WHERE old.job = of_job
        AND (old.started, old.attempt, old.slot, old.token)
            = (gone.started, gone.attempt, gone.slot, gone.token);
    DELETE FROM {schema}.runs WHERE job = of_job AND slot < newest AND ended;
END $$;

-- interrupt: write an end that the runner didn't tell, unless there is one
CREATE FUNCTION {schema}.interrupt(run {schema}.runs, at bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE {schema}.records SET ended = at, status = 'interrupted'
    WHERE job = run.job AND started = run.started AND attempt = run.attempt
        AND slot = run.slot AND token = run.token AND ended IS NULL;
END $$;

-- end_for_good: end the runs from one slot to another, and tell their last records
CREATE FUNCTION {schema}.end_for_good(
    of_job text, first_slot bigint, last_slot bigint, at bigint
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    run {schema}.runs;
    last_record json;
    told json[] := '{}';
BEGIN
    FOR run IN
        WITH over AS (
            UPDATE {schema}.runs SET ended = true
            WHERE job = of_job AND slot <= last_slot
                AND slot >= coalesce(first_slot, slot) AND NOT ended
            RETURNING *
        )
        SELECT * FROM over ORDER BY slot
    LOOP
        PERFORM {schema}.interrupt(run, at);
        SELECT row_to_json(records) INTO last_record FROM {schema}.records
        WHERE job = run.job AND started = run.started AND attempt = run.attempt
            AND slot = run.slot AND token = run.token;
        IF FOUND THEN
            told := told || last_record;
        END IF;
    END LOOP;
    RETURN array_to_json(told);
END $$;
