-- The steps beside the claim, each one call, and the clock.

-- clock: the server's time
CREATE FUNCTION {schema}.clock() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- time: the clock that the steps read
CREATE FUNCTION {schema}.time(given bigint) RETURNS json
LANGUAGE sql VOLATILE AS $$
    SELECT to_json(coalesce(given, {schema}.clock()))
$$;

-- heartbeat: push the lease's end, if the token may still do so (L7)
CREATE FUNCTION {schema}.heartbeat(
    of_job text, of_slot bigint, by_token text, length bigint, given bigint
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    at bigint := {schema}.enter(of_job, given);
BEGIN
    UPDATE {schema}.runs SET until = at + length, lease = length
    WHERE job = of_job AND slot = of_slot AND token = by_token
        AND NOT spent AND NOT ended;
    RETURN json_build_object('now', at, 'accepted', FOUND);
END $$;

-- release: end the lease, the attempt's record and the token, all at once (L8)
CREATE FUNCTION {schema}.release(
    of_job text, of_slot bigint, by_token text, given bigint
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    at bigint := {schema}.enter(of_job, given);
    own {schema}.runs;
BEGIN
    SELECT * INTO own FROM {schema}.runs
    WHERE job = of_job AND slot = of_slot AND token = by_token AND NOT ended;
    IF own.slot IS NOT NULL AND NOT own.spent THEN
        UPDATE {schema}.runs
        SET until = at, lease = 0, spent = true, freed = freed + 1
        WHERE job = of_job AND slot = of_slot;
        UPDATE {schema}.records
        SET ended = at, status = 'interrupted', handed_over = 1
        WHERE job = own.job AND started = own.started AND attempt = own.attempt
            AND slot = own.slot AND token = own.token AND ended IS NULL;
    END IF;
    RETURN json_build_object('now', at, 'accepted', own.slot IS NOT NULL);
END $$;

-- finish: end the run and its record (L10); the same end is accepted again (L2)
CREATE FUNCTION {schema}.finish(
    of_job text, of_slot bigint, by_token text,
    as_status text, took double precision, with_error text, given bigint
) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
    at bigint := {schema}.enter(of_job, given);
    own {schema}.runs;
BEGIN
    UPDATE {schema}.runs SET ended = true
    WHERE job = of_job AND slot = of_slot AND token = by_token
        AND NOT spent AND NOT ended
    RETURNING * INTO own;
    IF FOUND THEN
        UPDATE {schema}.records
        SET ended = at, status = as_status, duration = took, error = with_error
        WHERE job = own.job AND started = own.started AND attempt = own.attempt
            AND slot = own.slot AND token = own.token;
        RETURN json_build_object('now', at, 'accepted', true);
    END IF;
    RETURN json_build_object('now', at, 'accepted', EXISTS (
        SELECT FROM {schema}.records
        WHERE job = of_job AND slot = of_slot AND token = by_token
            AND status = as_status AND duration IS NOT DISTINCT FROM took
            AND error IS NOT DISTINCT FROM with_error
    ));
END $$;

-- record: add the record of a manual run, once, and trim the manual ones
CREATE FUNCTION {schema}.record(added {schema}.records, keep bigint) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM {schema}.enter(added.job, NULL);
    INSERT INTO {schema}.records SELECT added.* ON CONFLICT DO NOTHING;
    IF FOUND THEN
        DELETE FROM {schema}.records
        WHERE job = added.job AND reason = 'manual'
            AND (started, attempt, slot, token) < (
                SELECT started, attempt, slot, token FROM {schema}.records
                WHERE job = added.job
                ORDER BY started DESC, attempt DESC, slot DESC, token DESC
                LIMIT 1 OFFSET keep - 1
            );
    END IF;
    RETURN 'true';
END $$;

-- history: the newest records of a job, newest first
CREATE FUNCTION {schema}.history(of_job text, up_to bigint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(newest), '[]') FROM (
        SELECT * FROM {schema}.kept(of_job)
        ORDER BY started DESC, attempt DESC, slot DESC, token DESC LIMIT up_to
    ) AS newest
$$;

-- unfinished: the unfinished runs of some jobs, of each the oldest first
CREATE FUNCTION {schema}.unfinished(of_jobs text[], given bigint) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT json_build_object('now', now.at, 'runs', (
        SELECT coalesce(json_agg(json_build_object('job', job, 'slot', slot,
            'attempt', attempt, 'instance_id', instance_id,
            'left', least(until::numeric - now.at, lease)) ORDER BY job, slot), '[]')
        FROM {schema}.runs WHERE job = ANY (of_jobs) AND NOT ended
    ))
    FROM (SELECT coalesce(given, {schema}.clock()) AS at) AS now
$$;
