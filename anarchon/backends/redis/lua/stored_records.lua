-- Reads and writes the records that are stored.

local RECORD = {
    slot = 'number',
    attempt = 'number',
    token = 'string',
    instance_id = 'string',
    started = 'number',
}

local function last_record(slot)
    local name = digits(slot)
    local text = redis.call('HGET', RECORDS, name)
    return text and decoded(RECORDS, name, text, RECORD)
end

local function write_record(name, record)
    redis.call('HSET', RECORDS, name, cjson.encode(record))
end
