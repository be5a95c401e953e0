-- What a claim for a first attempt is answered with at the wrong time (L4).

local function untimely(limit)
    if asked.slot > now then return reply({outcome = 'early'}) end
    if now > asked.slot + limit then return reply({outcome = 'late'}) end
end
