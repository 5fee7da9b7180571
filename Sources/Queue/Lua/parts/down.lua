-- down: Apple is down. Not a script of its own.
-- needs: jobs books alarms

-- Five unclear answers in a row over three transactions close the gate; then one probe goes for each step of back-off,
-- up to a minute, and burns none of its job's attempts. Any answer that says anything opens it.

local DOWN_AFTER, DOWN_OVER, PROBE_FIRST_US, PROBE_LONGEST_US = 5, 3, 2 * 1000000, 60 * 1000000

local function note_unclear(job)
    local down = redis.call('HMGET', GATE, 'down', 'downSeen', 'probeAt', 'probeStep', 'downSince')
    if down[3] then
        -- What was on its way when the gate closed is no probe: dozens of late time-outs would drive the step to its end.
        if math.floor(tonumber(job.departed) / 1000) < tonumber(down[5]) then return end
        local step = math.min(tonumber(down[4]) * 2, PROBE_LONGEST_US)
        redis.call('HSET', GATE, 'probeAt', stamp(now + step), 'probeStep', stamp(step))
        redis.call('HINCRBY', job_key(job.id), 'attempts', -1)
        return
    end
    local seen = down[2] and cjson.decode(down[2]) or {}
    local is_new = #seen < DOWN_OVER
    for _, transaction in ipairs(seen) do if transaction == job.transaction then is_new = false end end
    if is_new then seen[#seen + 1] = job.transaction end
    local count = tonumber(down[1] or '0') + 1
    redis.call('HSET', GATE, 'down', stamp(count), 'downSeen', cjson.encode(seen))
    if count >= DOWN_AFTER and #seen >= DOWN_OVER then
        redis.call('HSET', GATE, 'probeAt', stamp(now + PROBE_FIRST_US), 'probeStep', stamp(PROBE_FIRST_US),
            'downSince', now_ms)
        book('appleDown', job.id, { 'reason', 'five answers in a row that say nothing' })
        alarm('appleDown', {})
    end
end

-- An answer of Apple's that says something: it is up. One that isn't 401 took the token, too; a 200 breaks a run of
-- suspicious answers.
local function note_answer(status)
    local down = redis.call('HMGET', GATE, 'down', 'probeAt', 'downSince', 'refusedBy', 'suspects')
    if down[5] and status == '200' then redis.call('HDEL', GATE, 'suspects') end
    if down[4] and status ~= '401' then redis.call('HDEL', GATE, 'refusedBy', 'refusedAt') end
    if not down[1] then return end
    redis.call('HDEL', GATE, 'down', 'downSeen', 'probeAt', 'probeStep', 'downSince')
    if down[2] then
        book('appleBack', '', { 'since', down[3] })
        alarm('appleBack', { 'since', down[3] })
        ring()
    end
end
