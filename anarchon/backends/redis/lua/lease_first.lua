-- Answers what most claims are, a first attempt while nothing of the job is unfinished,
-- before the functions for all others are made.

local stored = redis.call('HGETALL', RUNS)
-- where something else is kept under that key, it fails before anything is granted
redis.call('HLEN', RECORDS)

local function undisturbed()
    if #stored == 0 then return true end
    local only = #stored == 2 and stored[1] == 'newest' and tonumber(stored[2])
    return only and only < asked.slot
end

if asked.mode ~= 'takeover' and undisturbed() then
    return untimely(asked.limit) or grant_first()
end
