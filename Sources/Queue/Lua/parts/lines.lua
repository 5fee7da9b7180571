-- lines: who stands in the line of a purchase. Not a script of its own.
-- needs: jobs

local RANK = { urgent = 0, normal = 1, bulk = 2 }

-- The lines that a job must own to be sent: its purchase's, and its own transaction's where the producer named an
-- original one, since another job of that transaction may not know the original.
local function lines_of(job)
    if job.line == job.transaction then return { job.line } end
    return { job.line, job.transaction }
end

-- The job that stands before this one, and in which line; or nil and, if a request for the purchase may still be under
-- way though its job is over, when it no longer is: not before `after_step`, which a clock that was set can't hide.
local function owner_before(job, after_step)
    local until_us = now
    for _, line in ipairs(lines_of(job)) do
        local purchase = redis.call('HMGET', purchase_key(line), 'owner', 'until')
        if purchase[1] and purchase[1] ~= job.id then return purchase[1], line end
        if purchase[2] then until_us = math.max(until_us, tonumber(purchase[2]), after_step) end
    end
    return nil, nil, until_us
end

local function own_lines(job)
    for _, line in ipairs(lines_of(job)) do redis.call('HSET', purchase_key(line), 'owner', job.id) end
end

-- Whether anybody in the app follows in any line; nil until it is asked. Hardly ever does one.
local anyone_follows

-- The first follower of a line that nobody owns goes to the front of its lane.
local function call_next(line)
    if anyone_follows == nil then anyone_follows = redis.call('EXISTS', FOLLOWERS) == 1 end
    if not anyone_follows then return end
    local first = redis.call('ZRANGE', followers_key(line), 0, 0)
    while first[1] do
        local follower = load_job(first[1])
        if follower then to_ready(follower) end
        redis.call('ZREM', followers_key(line), first[1])
        redis.call('ZREM', FOLLOWERS, first[1])
        if follower then
            redis.call('HDEL', job_key(follower.id), 'waitsFor')
            return ring()
        end
        first = redis.call('ZRANGE', followers_key(line), 0, 0)
    end
end

-- Queues a job up behind the owner of one of its lines: urgent first, then by age. Whoever follows in its other line
-- may have been waiting for this job's turn, which passes on.
local function line_up(job, owner, line)
    anyone_follows = true
    redis.call('ZADD', followers_key(line), stamp(RANK[job.lane] * 1e15 + tonumber(job.at) / 10), job.id)
    redis.call('ZADD', FOLLOWERS, job.at, job.id)
    set_job(job, 'waitsFor', owner)
    for _, other in ipairs(lines_of(job)) do
        if other ~= line and redis.call('HEXISTS', purchase_key(other), 'owner') == 0 then call_next(other) end
    end
end

-- Raises if a line can't be given up, for who asks before its first write.
local function look_at_lines(job)
    for _, line in ipairs(lines_of(job)) do redis.call('HEXISTS', purchase_key(line), 'owner') end
end

local function leave_lines(job)
    redis.call('ZREM', FOLLOWERS, job.id)
    local left = 0
    for _, line in ipairs(lines_of(job)) do left = left + redis.call('ZREM', followers_key(line), job.id) end
    return left
end

-- Lets go of the lines; whoever is next goes no sooner than `until_us`, if it is given. A job that was called and then
-- leaves the road owns none, but its turn passes on all the same.
local function give_lines_up(job, until_us)
    for _, line in ipairs(lines_of(job)) do
        if until_us and until_us > now then redis.call('HSET', purchase_key(line), 'until', stamp(until_us)) end
        local owner = redis.call('HGET', purchase_key(line), 'owner')
        if owner == job.id then redis.call('HDEL', purchase_key(line), 'owner') end
        if not owner or owner == job.id then call_next(line) end
    end
end
