-- The unfinished runs of one job on a lease store.
--
-- RUNS has each under its slot, and under 'newest' the newest slot that was ever
-- granted. A run's lease ends at 'ends' and was given for 'lease'.

local RUNS = KEYS[3]

local RUN = {
    slot = 'number',
    attempt = 'number',
    token = 'string',
    instance_id = 'string',
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

local function put_run(run, newest)
    local fields = {digits(run.slot), cjson.encode(run)}
    if newest then fields[3], fields[4] = 'newest', digits(newest) end
    redis.call('HSET', RUNS, unpack(fields))
end

local function drop_run(run)
    redis.call('HDEL', RUNS, digits(run.slot))
end

local function held(run)
    return run.token == asked.token and not run.spent
end
