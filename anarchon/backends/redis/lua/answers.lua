-- What a claim is answered with on any store.

local function won(attempt, left)
    return reply({outcome = 'won', attempt = attempt, left = left})
end

local function running(attempt, left, instance_id)
    return reply({
        outcome = 'running',
        attempt = attempt,
        left = left,
        instance_id = instance_id,
    })
end

local function done(newest, runner, ended)
    return reply({
        outcome = 'done',
        superseded = runner == nil,
        newest = newest,
        instance_id = runner,
        ended = ended,
    })
end
