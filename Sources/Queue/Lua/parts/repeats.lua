-- repeats: when a request can no longer be under way, by a clock that may be set. Not a script of its own.

-- Notices a clock that was set forward: the caller saw it ('stepped'), or it shows much more than the caller's steady clock
-- carried on (µs). What departed before is no older than this moment allows, whatever its departure says.
local CLOCK_STEP_US = 5 * 1000000
local function note_step(seen)
    if not seen or seen == '' then return false end
    if seen ~= 'stepped' and now - tonumber(seen) <= CLOCK_STEP_US then return false end
    redis.call('HSET', GATE, 'stepped', stamp(now))
    return true
end

-- When a request that may have left can no longer be on its way: its time-out after its departure, by a clock that may
-- have been set in between. Set back, the departure lies in the future; set forward, it looks older than it is.
local function due_after_step(job, stepped)
    if not stepped or tonumber(job.departed) >= tonumber(stepped) then return now end
    return math.max(now, math.min(tonumber(stepped), now) + tonumber(job.timeout) * 1000)
end
local function repeat_due(job)
    local due = math.min(tonumber(job.departed), now) + tonumber(job.timeout) * 1000
    return math.max(due, due_after_step(job, redis.call('HGET', GATE, 'stepped')))
end
