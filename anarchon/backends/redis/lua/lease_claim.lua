-- Answers a claim on a lease store (L1 to L6, L9).
--
-- The rules are those of backends/claim.py, in the same order and words.

local function read_runs()
    for i = 1, #stored, 2 do
        if stored[i] == 'newest' then
            newest = tonumber(stored[i + 1])
            if not newest then unreadable(RUNS, 'field newest is no number') end
        else
            table.insert(runs, run_from(stored[i], stored[i + 1]))
        end
    end
    table.sort(runs, function(a, b) return a.slot < b.slot end)
end

-- such a lease was given by a clock that was set back since
local function set_back_leases()
    for _, run in ipairs(runs) do
        if run.ends > now + run.lease then
            run.ends = now + run.lease
            put_run(run)
        end
    end
end

local function left(run)
    return math.min(run.ends - now, run.lease)
end

local function overlapping()
    if asked.overlap == 'allow' then return end
    for _, other in ipairs(runs) do
        if other.slot ~= asked.slot and other.ends > now then
            return reply({
                outcome = 'overlap',
                slot = other.slot,
                attempt = other.attempt,
                left = left(other),
                instance_id = other.instance_id,
            })
        end
    end
end

-- a record that has ended stays
local function last_end(run)
    return last_record(run.slot) or interrupted(run)
end

local function end_for_good(run)
    local record = last_end(run)
    write_record(digits(run.slot), record)
    drop_run(run)
    return record
end

-- makes room for the record of the next attempt
local function set_aside(record)
    local name = digits(record.slot)
    local aside = name .. ':' .. record.attempt
    redis.call('ZREM', ORDER, place_of(name, record))
    redis.call('HDEL', RECORDS, name)
    add_place(aside, record)
    write_record(aside, record)
end

local function take_over(run)
    set_aside(last_end(run))
    grant(asked.attempt, run.freed)
    return reply({
        outcome = 'won',
        attempt = asked.attempt,
        left = asked.lease,
        taken_from = run.instance_id,
        waited = now - run.ends,
    })
end

local function next_attempt(run)
    if held(run) then return won(run.attempt, left(run)) end
    if run.ends > now or asked.attempt ~= run.attempt + 1 then
        return running(run.attempt, left(run), run.instance_id)
    end
    local refused = overlapping()
    if refused then return refused end
    if run.attempt - run.freed >= asked.max_attempts then
        return done(newest, run.instance_id, {end_for_good(run)})
    end
    return take_over(run)
end

-- nothing else of the job is alive here, so every older run is dead
local function end_replaced()
    local ended, kept = {}, {}
    for _, run in ipairs(runs) do
        if asked.overlap ~= 'allow' and run.slot < asked.slot then
            table.insert(ended, end_for_good(run))
        else
            table.insert(kept, run)
        end
    end
    runs = kept
    return ended[1] and ended
end

local function answer()
    local run = unfinished(asked.slot)
    if run then return next_attempt(run) end
    if newest and asked.slot <= newest then
        local record = last_record(asked.slot)
        return done(newest, record and record.instance_id or nil)
    end
    if asked.mode == 'takeover' then
        return reply({outcome = 'none', could = now <= asked.slot + asked.startable})
    end
    return untimely(asked.limit) or overlapping() or grant_first(end_replaced())
end

read_runs()
set_back_leases()
return answer()
