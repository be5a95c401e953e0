-- Ends an attempt's record under its token (L7, L10); the first end stays, and is
-- accepted again (L2).

local record = last_record(asked.slot)
if not record or record.token ~= asked.token then return reply({accepted = false}) end
if record.ended then return reply({accepted = ended_as_asked(record)}) end
end_record(record)
return reply({accepted = true})
