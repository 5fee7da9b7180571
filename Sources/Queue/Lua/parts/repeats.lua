-- repeats: when a request can no longer be under way, by a clock that may be set. Not a script of its own.

-- Notices a clock that was set. What departed before is no older than this moment allows, whatever its departure says.
-- Forward: the caller saw it ('stepped'), or it shows much more than the caller's steady clock carried on (`seen`, µs).
-- Back: it shows less than that, or than it has shown (µs). That counts for each caller, not for the first alone, since it
-- may be a part of the way forward again. Set right, it shows nothing odd to who read it only before: so `behind` keeps
-- what it would show had it not been set back, and to get there is a step, too.
local CLOCK_STEP_US, CLOCK_BACK_US = 5 * 1000000, 10 * 1000
local function note_step(seen, behind, shown)
    local expected = tonumber(seen or '') or now
    local latest = math.max(expected, shown)
    local is_known = latest - now <= CLOCK_BACK_US
    local is_step = not is_known or seen == 'stepped' or now - expected > CLOCK_STEP_US
    local marks = {}
    for mark in string.gmatch(behind or '', '%S+') do
        if tonumber(mark) - now <= CLOCK_BACK_US then
            is_step = true
        else
            marks[#marks + 1] = mark
            is_known = is_known or tonumber(mark) <= latest
        end
    end
    if not is_known then marks[#marks + 1] = stamp(latest) end
    if is_step then redis.call('HSET', GATE, 'stepped', stamp(now), 'behind', table.concat(marks, ' ')) end
    return is_step
end

-- When a request that may have left can no longer be on its way: its time-out after its departure, by a clock that may
-- have been set in between. Set back, the departure lies in the future; set forward, it looks older than it is.
local function due_after_step(job, stepped)
    local departed = tonumber(job.departed)
    if not stepped or departed > tonumber(stepped) and departed <= now then return now end
    return math.max(now, math.min(tonumber(stepped), now) + tonumber(job.timeout) * 1000)
end
local function repeat_due(job)
    local due = math.min(tonumber(job.departed), now) + tonumber(job.timeout) * 1000
    return math.max(due, due_after_step(job, redis.call('HGET', GATE, 'stepped')))
end
