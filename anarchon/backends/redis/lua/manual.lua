-- Adds the record of a manual run, once, and trims the manual ones.

local record = asked.record
local name = 'manual:' .. digits(record.slot) .. ':' .. asked.token
if not redis.call('HGET', RECORDS, name) then
    add_place(name, record)
    write_record(name, record)
    trim_records('+inf', math.huge, function(old)
        return string.match(old, '^manual:') ~= nil
    end)
end
return reply({})
