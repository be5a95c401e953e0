-- Reads, changes and ends the unfinished runs that are stored.

local RUN = {
    slot = 'number',
    attempt = 'number',
    token = 'string',
    reason = 'string',
    instance_id = 'string',
    started = 'number',
    ends = 'number',
    lease = 'number',
    spent = 'boolean',
    freed = 'number',
}

local function run_from(field, text)
    return decoded(RUNS, field, text, RUN)
end

local function run_of(slot)
    local field = digits(slot)
    local text = redis.call('HGET', RUNS, field)
    return text and run_from(field, text)
end

local function put_run(run)
    redis.call('HSET', RUNS, digits(run.slot), cjson.encode(run))
end

local function drop_run(run)
    redis.call('HDEL', RUNS, digits(run.slot))
end

local function held(run)
    return run.token == asked.token and not run.spent
end

local function record_of(run)
    return {
        slot = run.slot,
        attempt = run.attempt,
        token = run.token,
        reason = run.reason,
        instance_id = run.instance_id,
        started = run.started,
    }
end

local function interrupted(run, handed_over)
    local record = record_of(run)
    record.ended = now
    record.status = 'interrupted'
    record.handed_over = handed_over
    return record
end
