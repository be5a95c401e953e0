-- The history of one job: a record of each attempt, and the order to read them in.
--
-- RECORDS has the newest attempt of a run under its slot, older ones under slot and
-- attempt, and manual runs under 'manual', slot and token. ORDER sorts these names by
-- start, and by attempt where that is the same. A lease store adds the record of an
-- attempt when it ends; until then its name is in ORDER alone.

local RECORDS, ORDER = KEYS[1], KEYS[2]

local function place_of(name, record)
    return string.format('%06d:%s', record.attempt, name)
end

local function name_at(place)
    return string.match(place, '^%d+:(.*)$') or place
end

local function add_place(name, record)
    redis.call('ZADD', ORDER, digits(record.started), place_of(name, record))
end
