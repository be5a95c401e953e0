-- Ends an attempt's record under its token (L7, L10); the first end stays, and is
-- accepted again (L2).

local name = record_name(asked.slot, asked.token)
local record = record_named(name)
if not record then return reply({accepted = false}) end
if record.ended then return reply({accepted = ended_as_asked(record)}) end
end_record(name, record)
return reply({accepted = true})
