#!lua
-- lease: jobs leave their lane together with a permit each. Before that expired leases are lost.
--        queued, waiting, unclear → sending; sending → unclear | dead; (nothing) → dead
-- KEYS[1]  base
-- ARGV     1 worker   2 free slots   3 lease ms   4 request time-out ms   5 N, departures a window   6 window µs
--          7 guard µs   8 raw entries at most   9 this server's run id   10 ids known to be missing, as JSON array
--          11 1 if nothing else is under way in the worker's process, else 0
--          12 this server's time as the worker's steady clock carries it on, µs, or '', or `stepped`: it was set forward
-- Result   { now µs, next µs or '', more, paused reason or '', blocked until µs or '', jobs, raw entries, missing id or '', alarms
--          that nobody has told yet, 1 if a job waits that must run alone in its process, what ails one job or '' }
--          job: { id, fence, requestReferenceId, transactionId, content digest, body less its reference id, and with a
--                 blank between: round, attempts, sends, unclear, first send ms, departure µs, lost leases, operation, lane }
--          raw entry: { lane, entry id, field, value, … }
--          next: when to call again if nothing rings before; more: call again at once
--          missing: a reference without its job; nothing was moved for it. Seen again after a pause it is passed back
--          in ARGV[10] and becomes a dead letter.
--          ails: a job whose data raised an error, and that. It is looked at again in a while, and keeps no other back.
-- Refused when Redis is full: no request leaves that could not be recorded.
-- needs: jobs lines lanes books repeats
-- seldom: lost letters -> lose_lease write_missing

local worker, slots = ARGV[1], tonumber(ARGV[2])
local lease_us = tonumber(ARGV[3]) * 1000
local timeout_ms = ARGV[4]
local count, window, guard = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local intake = tonumber(ARGV[8])
local run_id = ARGV[9]
local solitude = tonumber(ARGV[11])
local absent = {}
if ARGV[10] ~= '[]' then
    for _, id in ipairs(cjson.decode(ARGV[10])) do absent[id] = true end
end

local RECOVERED_A_CALL, PROMOTED_A_CALL, STEPS_A_CALL, ALONE_AGAIN_US, AILING_US = 16, 64, 256, 500000, 30000000
-- A front of three calls' jobs outlasts the adoption of more, and the shorter it is the less it takes to keep it in order.
local READY_AHEAD = math.max(16, 3 * count)
local now_text = stamp(now)
local more = 0
local missing = ''
local must_be_alone = 0
local ailment = ''
local jobs, raws = {}, {}

-- 1. A server that forgot --------------------------------------------------------------------------------------------
-- Another run id, no gate at all (a flush, a replica that never heard of it), or a clock that was set, so that departures
-- lie in the future or look old: what left in the last window is not known. The window is taken as full, and a block can't
-- outlast what Apple's could.
local gate = redis.call('HMGET', GATE, 'run', 'paused', 'blockedUntil', 'turn', 'swept', 'probeAt', 'stepped',
    'behind')
local departures = redis.call('LRANGE', DEPARTURES, -count, -1)
local newest = departures[#departures]
local stepped = note_step(ARGV[12], gate[8], math.max(tonumber(newest or '0'), tonumber(gate[7] or '0')))
if stepped then gate[7] = stamp(now) end
if gate[1] ~= run_id or stepped then
    redis.call('DEL', DEPARTURES)
    departures = {}
    for i = 1, count do departures[i] = stamp(now) end
    -- Lua unpacks no more than some thousands at once.
    for i = 1, count, 1000 do redis.call('RPUSH', DEPARTURES, unpack(departures, i, math.min(i + 999, count))) end
    local cap = now + 75 * 60 * 1000000
    if gate[3] and tonumber(gate[3]) > cap then
        gate[3] = stamp(cap)
        redis.call('HSET', GATE, 'blockedUntil', gate[3])
    end
    -- A new app's first window is waited out too, but nothing was forgotten; one that has sent before has these.
    if gate[1] or newest or redis.call('EXISTS', FOLLOWUPS, LEASES) > 0 then
        book('forgotten', '', { 'reason', stepped and 'the clock of the Redis server was set; one window was waited out'
            or 'the Redis server was restarted, restored or replaced; one window was waited out' })
    end
end
if gate[1] ~= run_id then redis.call('HSET', GATE, 'run', run_id) end

-- 2. Expired leases --------------------------------------------------------------------------------------------------
-- A clock that was set forward ends every lease at once or soon, while their workers live and their requests are on the
-- way. They get the time that a request may take: who lives renews or settles, and a repeat can't overtake what was sent.
if stepped then
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', stamp(now + tonumber(timeout_ms) * 1000))) do
        local timeout = tonumber(redis.call('HGET', job_key(id), 'timeout') or timeout_ms)
        redis.call('ZADD', LEASES, 'XX', 'GT', stamp(now + timeout * 1000), id)
    end
end
-- The score of a set's first; what of it is due, and that score if nothing is.
local function earliest(set)
    local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
    return first[2] and tonumber(first[2]) or nil
end
local function due_of(set, limit)
    local first = earliest(set)
    if not first or first > now then return {}, first end
    return redis.call('ZRANGEBYSCORE', set, '-inf', now_text, 'LIMIT', 0, limit), nil
end
local expired, first_lease = due_of(LEASES, RECOVERED_A_CALL)
local lose_lease, write_missing
if #expired > 0 or next(absent) then lose_lease, write_missing = seldom() end
local function note_ailment(id, why) ailment = id .. ': ' .. (type(why) == 'table' and why.err or tostring(why)) end
-- The record of a job that waits in a set: nil if there is none, false if it can't be read, and then the job waits on.
local function look_into(set, id)
    local is_sound, job = pcall(load_job, id)
    if is_sound then return job end
    note_ailment(id, job)
    redis.call('ZADD', set, stamp(now + AILING_US), id)
    return false
end
for _, id in ipairs(expired) do
    local job = look_into(LEASES, id)
    if job and job.state == 'sending' then
        lose_lease(job)
    elseif job then
        redis.call('ZREM', LEASES, id)
    elseif job == nil and absent[id] then
        redis.call('ZREM', LEASES, id)
        write_missing('leases/' .. stamp(now) .. '/' .. id, id)
    elseif job == nil then
        missing = id
    end
end
if #expired > 0 then first_lease = earliest(LEASES) end
if #expired == RECOVERED_A_CALL then more = 1 end

-- 3. Due retries -----------------------------------------------------------------------------------------------------
local due, first_later = due_of(LATER, PROMOTED_A_CALL)
for _, id in ipairs(due) do
    local job = look_into(LATER, id)
    if job then
        -- Due by a clock that was set forward, while the request of the worker that was lost may still be under way.
        local again = job.lost and job.unclear > 0 and due_after_step(job, gate[7]) or now
        if again > now then
            redis.call('ZADD', LATER, stamp(again), id)
        else
            to_ready(job)
            redis.call('ZREM', LATER, id)
        end
    elseif job == nil and absent[id] then
        redis.call('ZREM', LATER, id)
        write_missing('later/' .. stamp(now) .. '/' .. id, id)
    elseif job == nil then
        missing = id
    end
end
if #due > 0 then first_later = earliest(LATER) end
if #due == PROMOTED_A_CALL then more = 1 end

local function sooner(a, b)
    if not a then return b end
    if not b then return a end
    return math.min(a, b)
end
local function result(next_us, paused, blocked)
    return { now_text, next_us and stamp(next_us) or '', more, paused or '', blocked or '', jobs, raws, missing,
        redis.call('XLEN', ALERTS), must_be_alone, ailment }
end

-- 4. Paused: costs nothing -------------------------------------------------------------------------------------------
if gate[2] then return result(first_lease, gate[2], '') end

-- 5. Raw entries, ahead of need and without permits -------------------------------------------------------------------
-- The lane's group; made at its beginning when a flush or a failover took it.
local function group_of(lane)
    for _, group in ipairs(redis.call('XINFO', 'GROUPS', lane)) do
        if group[2] == GROUP then return group end
    end
    redis.call('XGROUP', 'CREATE', lane, GROUP, '0')
    return nil
end
local function is_reference(fields) return #fields == 2 and fields[1] == 'id' end
local function add_raw(lane, entry)
    local fields = entry[2]
    local raw = { lane, entry[1], fields[1], fields[2] }
    for i = 3, #fields do raw[i + 2] = fields[i] end
    raws[#raws + 1] = raw
end
local function read_lane(lane, number)
    local answer = redis.call('XREADGROUP', 'GROUP', GROUP, GROUP, 'COUNT', number, 'STREAMS', lane_key(lane), '>')
    return answer and answer[1][2] or {}
end
local SENDABLE = { queued = true, waiting = true, unclear = true }
-- What was read and finds no permit in this call stands at the front of its lane from now on. `done`: entries that leave
-- the stream with it. One whose job isn't there, or can't be read, is left pending: after ADOPTION_US it is handed out
-- like a raw entry, and `adopt` judges it then.
local function to_front(lane, entries, done)
    for _, entry in ipairs(entries) do
        local is_sound, job = pcall(load_job, entry[2][2], { 'state', 'lane', 'at', 'ghost' })
        if is_sound and job then
            if SENDABLE[job.state] and not job.ghost then to_ready(job) end
            if job.ghost then redis.call('HDEL', job_key(job.id), 'ghost') end
            done[#done + 1] = entry[1]
        end
    end
    if #done > 0 then
        redis.call('XACK', lane_key(lane), GROUP, unpack(done))
        remove_entries(lane, done)
    end
end

-- Entries that another worker read and didn't adopt: it died in between, so they are handed out again.
local ADOPTION_US = 15 * 1000000
local swept = tonumber(gate[5] or '0')
local sweep = swept + 1000000 <= now or swept > now
if sweep then redis.call('HSET', GATE, 'swept', stamp(now)) end
local lengths = {}
for _, lane in ipairs(LANES) do
    lengths[lane] = redis.call('XLEN', lane_key(lane))
    if lengths[lane] > 0 then
        local group = group_of(lane_key(lane))
        if sweep and group then
            local claimed = redis.call('XAUTOCLAIM', lane_key(lane), GROUP, GROUP, ADOPTION_US / 1000, '0-0', 'COUNT', 16)
            for _, entry in ipairs(claimed[2]) do add_raw(lane, entry) end
        end
        if #raws < intake and redis.call('ZCARD', ready_key(lane)) < READY_AHEAD then
            local after = '-'
            for i = 1, group and #group or 0, 2 do
                if group[i] == 'last-delivered-id' then after = '(' .. group[i + 1] end
            end
            local head = redis.call('XRANGE', lane_key(lane), after, '+', 'COUNT', 1)
            if head[1] and not is_reference(head[1][2]) then
                local references = {}
                for _, entry in ipairs(read_lane(lane, intake - #raws)) do
                    if is_reference(entry[2]) then
                        references[#references + 1] = entry
                    else
                        add_raw(lane, entry)
                    end
                end
                if #references == 0 then more = 1 else to_front(lane, references, {}) end
            end
        end
    end
end

-- 6. Blocked by a 429 ------------------------------------------------------------------------------------------------
local blocked = gate[3] and tonumber(gate[3]) > now and tonumber(gate[3]) or nil
if blocked then return result(sooner(sooner(blocked, first_lease), first_later), '', stamp(blocked)) end

-- Apple is down: nothing until the next probe, then a single job, and none while a probe is under way.
local probe_at = gate[6] and tonumber(gate[6])
if probe_at then
    if probe_at > now then return result(sooner(sooner(probe_at, first_lease), first_later), '', '') end
    if first_lease then return result(first_lease, '', '') end
    slots = math.min(slots, 1)
end

-- 7. Permits ---------------------------------------------------------------------------------------------------------
-- The next request may leave one window and a guard after the N-th last: exact for every sliding window. More departures
-- are kept than this call's rate needs: another call may come with a higher one, or a wider window.
local DEPARTURES_KEPT = 64
local function next_permit()
    if #departures < count then return now end
    return tonumber(departures[#departures - count + 1]) + window + guard
end
local permits = count - #departures
for _, departed in ipairs(departures) do
    if tonumber(departed) + window + guard > now then break end
    permits = permits + 1
end
permits = math.min(permits, slots)

-- 8. Jobs ------------------------------------------------------------------------------------------------------------
-- Of ten permits normal and bulk get one each first; the other eight go urgent first.
local turn = tonumber(gate[4] or '0')
local ORDER = { urgent = { 'urgent', 'normal', 'bulk' }, normal = { 'normal', 'urgent', 'bulk' }, bulk = { 'bulk', 'urgent', 'normal' } }
local function order()
    if turn % 10 == 4 then return ORDER.normal end
    if turn % 10 == 9 then return ORDER.bulk end
    return ORDER.urgent
end
-- What lies at the front of each lane, and what was read from its stream and stands in memory until this call ends: no
-- more than there are permits. `seen` is what `readied` was when the front was looked at.
-- `taken` from the front and `done` with in the stream are removed in one go.
local fronts, seen, taken = {}, {}, {}
local read, done = { urgent = {}, normal = {}, bulk = {} }, { urgent = {}, normal = {}, bulk = {} }

local function clear_fronts()
    for _, lane in ipairs(LANES) do
        if taken[lane] then redis.call('ZREM', ready_key(lane), unpack(taken[lane])) end
    end
    taken = {}
end
local function look_at(lane)
    clear_fronts()
    fronts[lane] = { ids = redis.call('ZRANGE', ready_key(lane), 0, permits - 1), next = 1 }
    seen[lane] = readied
end

local function front(lane)
    local known = fronts[lane]
    if seen[lane] ~= readied or known.next > permits and #known.ids == permits then look_at(lane) end
    return fronts[lane].ids[fronts[lane].next]
end

-- The next reference of a lane: from its front, else from its stream. Returns its id and whether it lies in the stream.
local function next_reference(lane)
    local id = front(lane)
    if id then return id, false end
    while lengths[lane] > 0 and #read[lane] == 0 do
        local entries = read_lane(lane, math.max(1, math.min(permits - #jobs, intake - #raws)))
        if #entries == 0 then lengths[lane] = 0 end
        for _, entry in ipairs(entries) do
            if is_reference(entry[2]) then
                table.insert(read[lane], entry)
            else
                add_raw(lane, entry)
                more = 1
                if #raws >= intake then lengths[lane] = 0 end
            end
        end
    end
    local entry = read[lane][1]
    if not entry then return nil end
    return entry[2][2], true
end

-- Takes away what `next_reference` found.
local function take(lane, lies_in_stream)
    if lies_in_stream then
        table.insert(done[lane], table.remove(read[lane], 1)[1])
    else
        local lying = fronts[lane]
        taken[lane] = taken[lane] or {}
        table.insert(taken[lane], lying.ids[lying.next])
        lying.next = lying.next + 1
    end
end

-- Until when the clock's last step hides whether a request is still under way.
local after_step = gate[7] and math.min(tonumber(gate[7]), now) + tonumber(timeout_ms) * 1000 or 0

-- What a body asks for. Most ask for one item, of which all is to be refunded, and are read without being decoded.
local function items_of(body)
    local _, last = string.find(body, '"items":[{"SKU":"', 1, true)
    if last then
        local sku, reason, kind = string.match(body,
            '^([^"\\\\]+)","refundReason":"([%u_]+)","refundType":"(%u+)","revoke":%l+}%]', last + 1)
        if sku then return { { SKU = sku, refundReason = reason, refundType = kind } } end
    end
    local request = cjson.decode(body)
    return request.items or { request }
end

local function one_more(number) return number and stamp(tonumber(number) + 1) or '1' end
local leases, departed, expires = {}, now_text, stamp(now + lease_us)
local function send(job)
    -- First what the job's own data can spoil, while nothing says that it is sent.
    if string.find(job.body, BODY_HEAD, 1, true) ~= 1 then error({ err = 'its body has no place for a reference id' }) end
    if #(job.content or job.digest) ~= 32 then error({ err = 'its digest is none' }) end
    local items = items_of(job.body)
    if job.sends == 0 then redis.call('HSETNX', refs_key(job.ref), job.ref, job.id) end
    local key = job_key(job.id)
    local fence = one_more(job.fence)
    local attempts = one_more(job.attempts)
    local started = one_more(job.started)
    local sends = stamp(job.sends + 1)
    local first = job.first or now_ms
    departures[#departures + 1] = departed
    redis.call('HSET', key, 'state', 'sending', 'worker', worker, 'departed', departed, 'timeout', timeout_ms,
        'fence', fence, 'attempts', attempts, 'started', started, 'sends', sends, 'first', first)
    leases[#leases + 1] = expires
    leases[#leases + 1] = job.id
    if job.waitsFor then redis.call('HDEL', key, 'waitsFor') end
    own_lines(job)
    for _, item in ipairs(items) do
        book('request', job.id, { 'operation', job.operation, 'transactionId', job.transaction,
            'requestReferenceId', job.ref, 'attempt', started, 'repeat', job.unclear > 0 and '1' or '',
            'SKU', item.SKU, 'reason', item.refundReason, 'type', item.refundType,
            'requested', item.refundAmount and stamp(item.refundAmount) or '', 'requestedBy', job.by or '' })
    end
    jobs[#jobs + 1] = { job.id, fence, job.ref, job.transaction, job.content or job.digest, job.body,
        (job.round or '0') .. ' ' .. attempts .. ' ' .. sends .. ' ' .. job.unclear .. ' ' .. first .. ' ' .. departed .. ' '
            .. (job.lost or '0') .. ' ' .. job.operation .. ' ' .. job.lane }
end

local function put_later(id, at)
    redis.call('ZADD', LATER, stamp(at), id)
    first_later = sooner(first_later, at)
end

-- One step: the next job is sent, or put where it belongs. Returns whether there may be another. Each job is taken away
-- last: what raises before leaves it where it was found.
local id, lane, lies_in_stream
local function step()
    id = nil
    for _, candidate in ipairs(order()) do
        lane = candidate
        id, lies_in_stream = next_reference(lane)
        if id then break end
    end
    if not id then return false end
    local job = load_whole_job(id)
    if not job then
        if lies_in_stream then
            table.remove(read[lane], 1)  -- left pending, as by to_front
        elseif absent[id] then
            write_missing('ready/' .. stamp(now) .. '/' .. id, id)
            take(lane, false)
        else
            missing = id
        end
        return true
    end
    if job.state == 'sending' or not SENDABLE[job.state] then
        -- Withdrawn or discarded while its reference lay unread in the stream.
        if job.ghost then redis.call('HDEL', job_key(id), 'ghost') end
        take(lane, lies_in_stream)
        return true
    end
    local owner, line, until_us = owner_before(job, after_step)
    if not owner and after_step > now and job.lost and job.unclear > 0 then
        -- It came here before anybody knew of the step.
        local sent = load_job(id, { 'state', 'departed', 'timeout' })
        until_us = math.max(until_us, due_after_step(sent, gate[7]))
    end
    local is_suspect = tonumber(job.lost or '0') >= LEASES_A_JOB_MAY_LOSE
    if is_suspect and (solitude == 0 or #jobs > 0) then
        -- It may have killed the workers that sent it: alone, it can harm no other send.
        put_later(id, now + ALONE_AGAIN_US)
        must_be_alone = 1
    elseif owner then
        line_up(job, owner, line)
    elseif until_us > now then
        put_later(id, until_us)
    else
        send(job)
        turn = turn + 1
        take(lane, lies_in_stream)
        return not is_suspect
    end
    take(lane, lies_in_stream)
    return true
end

local steps = 0
while #jobs < permits and missing == '' do
    if steps == STEPS_A_CALL then
        more = 1
        break
    end
    steps = steps + 1
    local is_sound, goes_on = pcall(step)
    if not is_sound then
        if not id and #jobs == 0 then error(goes_on) end
        note_ailment(id or '', goes_on)
        if id then
            -- One whose record says already that it is sent has a lease, which runs out.
            if leases[#leases] ~= id then put_later(id, now + AILING_US) end
            take(lane, lies_in_stream)
        end
        goes_on = id
    end
    if not goes_on then break end
end
local waiting_for_permit = #jobs == permits and permits < slots

if #leases > 0 then
    redis.call('ZADD', LEASES, unpack(leases))
    first_lease = sooner(first_lease, now + lease_us)
end
if #jobs > 0 then
    local known = redis.call('RPUSH', DEPARTURES, unpack(departures, #departures - #jobs + 1))
    local kept = math.max(count, DEPARTURES_KEPT)
    if known > kept * 2 then redis.call('LTRIM', DEPARTURES, -kept, -1) end
    redis.call('HSET', GATE, 'turn', stamp(turn % 10))
end
clear_fronts()
for _, lane in ipairs(LANES) do to_front(lane, read[lane], done[lane]) end

local function anything_ready()
    for _, lane in ipairs(LANES) do
        if redis.call('ZCARD', ready_key(lane)) > 0 or redis.call('XLEN', lane_key(lane)) > 0 then return true end
    end
    return false
end
local next_us = sooner(first_lease, first_later)
if waiting_for_permit and anything_ready() then next_us = sooner(next_us, next_permit()) end
return result(next_us, '', '')
