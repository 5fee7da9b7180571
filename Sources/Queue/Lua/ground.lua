-- ground: what every move stands on. Put before each script by QueueScripts; not a script of its own.
--
-- KEYS[1] of every move is the app's base, "<prefix>:{<app>}": it is never a key itself, but lies in the app's
-- Cluster slot and names all the others. Times are microseconds of this server's clock (numbers, exact below 2^53),
-- printed with stamp(). Ids, amounts and milliseconds pass through as strings: tostring spoils more than 14 digits.

local base = KEYS[1]
local LANES = { 'urgent', 'normal', 'bulk' }
local GROUP = 'fleet'

local function lane_key(lane) return base .. ':jobs:' .. lane end
local function ready_key(lane) return base .. ':ready:' .. lane end
local function job_key(id) return base .. ':job:' .. id end
local function purchase_key(transaction) return base .. ':purchase:' .. transaction end
local function followers_key(line) return base .. ':line:' .. line end
local function refs_key(ref) return base .. ':refs:' .. string.sub(ref, 1, 3) end
local LATER = base .. ':later'
local LEASES = base .. ':leases'
local GATE = base .. ':gate:refunds'
local DEPARTURES = base .. ':gate:refunds:log'
local FOLLOWUPS = base .. ':followups'
local FOLLOWERS = base .. ':followers'
local HELD = base .. ':held'
local DEAD = base .. ':dead'
local LEDGER = base .. ':ledger'
local ALERTS = base .. ':alerts'

-- Every shared key is looked at before the first write: in a Cluster slot on the move this raises ASK or TRYAGAIN
-- here, while nothing has happened yet, and not in the middle of a move.
redis.call('EXISTS', LATER, LEASES, GATE, DEPARTURES, FOLLOWUPS, FOLLOWERS, HELD, DEAD, LEDGER, ALERTS)

local function stamp(number) return string.format('%.0f', number) end

local function read_clock()
    local time = redis.call('TIME')
    return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local now = read_clock()
local now_ms = stamp(math.floor(now / 1000))

-- One line of the books. Empty values are left out: unknown is empty, never 0.
local function book(kind, id, fields)
    local entry = { 'kind', kind, 'id', id, 'at', now_ms }
    for i = 1, #fields, 2 do
        if fields[i + 1] and fields[i + 1] ~= '' then
            entry[#entry + 1] = fields[i]
            entry[#entry + 1] = fields[i + 1]
        end
    end
    redis.call('XADD', LEDGER, '*', unpack(entry))
end

-- The fields of a job that moves read, by name; nil when there is no such job.
local FIELDS = { 'state', 'lane', 'transaction', 'line', 'operation', 'ref', 'round', 'at', 'fence', 'attempts',
    'sends', 'unclear', 'lost', 'worker', 'departed', 'timeout', 'first', 'claims', 'repeats', 'dead', 'ghost', 'digest',
    'started', 'waitsFor', 'by' }
local function load_job(id)
    local values = redis.call('HMGET', job_key(id), unpack(FIELDS))
    if not values[1] then return nil end
    local job = { id = id }
    for i, name in ipairs(FIELDS) do job[name] = values[i] or nil end
    job.line = job.line or job.transaction
    job.unclear = tonumber(job.unclear or '0')
    job.sends = tonumber(job.sends or '0')
    return job
end

local function set_job(job, ...) redis.call('HSET', job_key(job.id), ...) end

local function ring() redis.pcall('SPUBLISH', base .. ':bell', '') end

local function to_ready(job)
    redis.call('ZADD', ready_key(job.lane), job.at, job.id)
end

-- The line of a purchase -------------------------------------------------------------------------------------------

local RANK = { urgent = 0, normal = 1, bulk = 2 }

-- The lines that a job must own to be sent: its purchase's, and its own transaction's where the producer named an
-- original one, since another job of that transaction may not know the original.
local function lines_of(job)
    if job.line == job.transaction then return { job.line } end
    return { job.line, job.transaction }
end

-- The job that stands before this one, and in which line; nil when the way is free.
local function owner_before(job)
    for _, line in ipairs(lines_of(job)) do
        local owner = redis.call('HGET', purchase_key(line), 'owner')
        if owner and owner ~= job.id then return owner, line end
    end
    return nil
end

local function own_lines(job)
    for _, line in ipairs(lines_of(job)) do redis.call('HSET', purchase_key(line), 'owner', job.id) end
end

-- The first follower of a line that nobody owns goes to the front of its lane.
local function call_next(line)
    if redis.call('HEXISTS', purchase_key(line), 'owner') == 1 then return end
    local first = redis.call('ZRANGE', followers_key(line), 0, 0)
    while first[1] do
        local follower = load_job(first[1])
        redis.call('ZREM', followers_key(line), first[1])
        redis.call('ZREM', FOLLOWERS, first[1])
        if follower then
            redis.call('HDEL', job_key(follower.id), 'waitsFor')
            to_ready(follower)
            return ring()
        end
        first = redis.call('ZRANGE', followers_key(line), 0, 0)
    end
end

-- Queues a job up behind the owner of one of its lines: urgent first, then by age. Whoever follows in its other line
-- may have been waiting for this job's turn, which passes on.
local function line_up(job, owner, line)
    redis.call('ZADD', followers_key(line), stamp(RANK[job.lane] * 1e15 + tonumber(job.at) / 10), job.id)
    redis.call('ZADD', FOLLOWERS, job.at, job.id)
    set_job(job, 'waitsFor', owner)
    for _, other in ipairs(lines_of(job)) do
        if other ~= line then call_next(other) end
    end
end

local function leave_lines(job)
    redis.call('ZREM', FOLLOWERS, job.id)
    local left = 0
    for _, line in ipairs(lines_of(job)) do left = left + redis.call('ZREM', followers_key(line), job.id) end
    return left
end

-- Lets go of the lines. A job that was called and then leaves the road owns none, but its turn passes on all the same.
local function give_lines_up(job)
    for _, line in ipairs(lines_of(job)) do
        local purchase = purchase_key(line)
        if redis.call('HGET', purchase, 'owner') == job.id then redis.call('HDEL', purchase, 'owner') end
        call_next(line)
    end
end

-- Claims: which jobs have asked for a SKU of a transaction --------------------------------------------------------------
-- A claim's field holds the ids of its jobs, oldest first, with a blank between; more than one takes allowRepeat.

local function other_holder(ids, id)
    for holder in string.gmatch(ids or '', '%S+') do
        if holder ~= id then return holder end
    end
    return nil
end

-- The id of the job whose claim stands in the way of these claims, or nil. "*" is the whole subscription.
local function claim_against(transaction, claims, id)
    local purchase = purchase_key(transaction)
    for _, claim in ipairs(cjson.decode(claims)) do
        local holder = other_holder(redis.call('HGET', purchase, 'claim:' .. claim), id)
        if not holder and claim ~= 'cancel' then holder = other_holder(redis.call('HGET', purchase, 'claim:*'), id) end
        if holder then return holder end
        if claim == '*' then
            local all = redis.call('HGETALL', purchase)
            for i = 1, #all, 2 do
                if string.sub(all[i], 1, 6) == 'claim:' and all[i] ~= 'claim:cancel' then
                    holder = other_holder(all[i + 1], id)
                    if holder then return holder end
                end
            end
        end
    end
    return nil
end

local function take_claims(transaction, claims, id)
    local purchase = purchase_key(transaction)
    redis.call('HSET', purchase, 'job:' .. id, '')
    for _, claim in ipairs(cjson.decode(claims)) do
        local ids = redis.call('HGET', purchase, 'claim:' .. claim)
        if not ids then
            redis.call('HSET', purchase, 'claim:' .. claim, id)
        elseif not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then
            redis.call('HSET', purchase, 'claim:' .. claim, ids .. ' ' .. id)
        end
    end
end

local function drop_claims(job)
    local purchase = purchase_key(job.transaction)
    for _, claim in ipairs(cjson.decode(job.claims)) do
        local left = {}
        for holder in string.gmatch(redis.call('HGET', purchase, 'claim:' .. claim) or '', '%S+') do
            if holder ~= job.id then left[#left + 1] = holder end
        end
        if left[1] then
            redis.call('HSET', purchase, 'claim:' .. claim, table.concat(left, ' '))
        else
            redis.call('HDEL', purchase, 'claim:' .. claim)
        end
    end
end

-- Attempts ---------------------------------------------------------------------------------------------------------

-- Adds the attempt that just ended to the job's record: one line, tab separated, read by Attempt.swift.
local function record_attempt(job, result, status, code, name)
    local log = redis.call('HGET', job_key(job.id), 'log')
    local line = table.concat({ job.started or '', job.ref, job.departed and stamp(math.floor(tonumber(job.departed) / 1000)) or '',
        now_ms, result, status or '', code or '', name or '' }, '\t')
    set_job(job, 'log', log and (log .. '\n' .. line) or line)
    book('answer', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'result', result,
        'httpStatus', status, 'errorCode', code, 'errorName', name })
end

-- Whether this worker still owns the job. A lost lease bears a higher fence.
local function owns(job, fence) return job.state == 'sending' and job.fence == fence end

-- The lease ends: its fence is void, so whoever held it can move the job no more.
local function end_lease(job)
    redis.call('ZREM', LEASES, job.id)
    redis.call('HDEL', job_key(job.id), 'worker')
    redis.call('HINCRBY', job_key(job.id), 'fence', 1)
end

-- Replaces a closed id by the next round's. Refuses while the id is open: a new one there could refund twice.
local function next_round(job, ref)
    if job.unclear > 0 then return false end
    local body = redis.call('HGET', job_key(job.id), 'body')
    local first, last = string.find(body, job.ref, 1, true)
    body = string.sub(body, 1, first - 1) .. ref .. string.sub(body, last + 1)
    set_job(job, 'ref', ref, 'body', body, 'sends', '0', 'round', stamp(tonumber(job.round or '0') + 1))
    redis.call('HDEL', job_key(job.id), 'given')  -- a producer's own id serves the first round only
    job.ref = ref
    job.sends = 0
    return true
end

-- The send ended without an answer that closes its id: from now on only the same id and bytes may go.
local function leave_open(job)
    job.unclear = job.unclear + 1
    set_job(job, 'unclear', stamp(job.unclear))
end

-- The request surely never left: neither its permit nor its attempt was used.
local function take_back_send(job)
    redis.call('LREM', DEPARTURES, 1, job.departed)
    redis.call('HINCRBY', job_key(job.id), 'attempts', -1)
    redis.call('HINCRBY', job_key(job.id), 'sends', -1)
    job.sends = job.sends - 1
end

-- Where a job stands that isn't being sent: unclear while its id is open.
local function resting_state(job, fallback)
    if job.unclear > 0 then return 'unclear' end
    return fallback
end

-- The job as its producer wrote it: the envelope with the request, less the reference id that we made.
local function job_text(job)
    local stored = redis.call('HMGET', job_key(job.id), 'envelope', 'body', 'given')
    if not stored[1] then return '' end
    local request = stored[2]
    if not stored[3] then
        local own = '"requestReferenceId":"' .. job.ref .. '"'
        local first, last = string.find(request, own, 1, true)
        if first then
            if string.sub(request, last + 1, last + 1) == ',' then last = last + 1 end
            request = string.sub(request, 1, first - 1) .. string.sub(request, last + 1)
            if string.sub(request, 1, 17) == '{"requestInfo":{}' then
                request = '{' .. string.sub(request, string.sub(request, 18, 18) == ',' and 19 or 18)
            end
        end
    end
    -- The envelope's own note of the producer's requestInfo; another field always follows it (keys are sorted).
    local envelope = string.gsub(stored[1], '"requestInfo":%b{},', '', 1)
    return string.sub(envelope, 1, -2) .. ',"request":' .. request .. '}'
end

-- What people are told -----------------------------------------------------------------------------------------------

-- One alarm for each cause. A worker of the fleet reads the stream as group `heralds` and tells; what one that died
-- left untold, another tells.
local function alarm(kind, fields)
    redis.call('XADD', ALERTS, '*', 'kind', kind, 'at', now_ms, unpack(fields))
    ring()
end

-- Pauses the app, unless it is paused. Returns whether it did, and the pause's number.
local function pause_app(reason, by, why, id)
    local standing = redis.call('HMGET', GATE, 'paused', 'pauses')
    if standing[1] then return false, standing[2] or '0' end
    local number = stamp(redis.call('HINCRBY', GATE, 'pauses', 1))
    redis.call('HSET', GATE, 'paused', reason, 'pausedAt', now_ms, 'pausedBy', by, 'pausedWhy', why)
    redis.call('HDEL', GATE, 'suspects', 'refusedBy', 'refusedAt')
    book('paused', id or '', { 'reason', reason, 'by', by, 'why', why, 'pause', number })
    alarm('paused', { 'reason', reason, 'why', why, 'by', by, 'pause', number })
    return true, number
end

-- Apple down -----------------------------------------------------------------------------------------------------------
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

-- An answer of Apple's that says something: it is up. One that isn't 401 took the token, too.
local function note_answer(status)
    local down = redis.call('HMGET', GATE, 'down', 'probeAt', 'downSince', 'refusedBy')
    if down[4] and status ~= '401' then redis.call('HDEL', GATE, 'refusedBy', 'refusedAt') end
    if not down[1] then return end
    redis.call('HDEL', GATE, 'down', 'downSeen', 'probeAt', 'probeStep', 'downSince')
    if down[2] then
        book('appleBack', '', { 'since', down[3] })
        alarm('appleBack', { 'since', down[3] })
        ring()
    end
end

-- Dead letters -----------------------------------------------------------------------------------------------------

-- Writes the letter of a job and takes the job off the road. A letter whose id is open keeps its line and its claims.
local function write_letter(job, reason, code, name, hint)
    local fields = { 'id', job.id, 'reason', reason, 'code', code or '', 'name', name or '', 'hint', hint or '',
        'job', job_text(job), 'attempts', redis.call('HGET', job_key(job.id), 'attempts') or '0',
        'at', now_ms, 'open', job.unclear > 0 and '1' or '0', 'requestReferenceId', job.ref or '' }
    local entry = redis.call('XADD', DEAD, '*', unpack(fields))
    set_job(job, 'state', 'dead', 'dead', entry)
    redis.call('HDEL', job_key(job.id), 'waitsFor')
    if job.unclear == 0 then
        give_lines_up(job)
        drop_claims(job)
    end
    book('dead', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'reason', reason,
        'errorCode', code, 'errorName', name })
end

-- Writes a letter for what never became a job, or is one no more. Its id has slashes, so it can be no producer's.
local function write_loose_letter(place, reason, code, name, hint, conflicts, text)
    local id = 'letter/' .. place
    local fields = { 'id', id, 'reason', reason, 'code', code, 'name', name, 'hint', hint, 'job', text, 'attempts', '0',
        'at', now_ms, 'open', '0' }
    if conflicts ~= '' then
        fields[#fields + 1] = 'conflictsWith'
        fields[#fields + 1] = conflicts
    end
    local entry = redis.call('XADD', DEAD, '*', unpack(fields))
    redis.call('HSET', job_key(id), 'state', 'dead', 'dead', entry, 'letter', '1')
    book('dead', id, { 'reason', reason, 'errorName', name, 'conflictsWith', conflicts })
end

local function write_missing(place, id)
    write_loose_letter(place, 'jobMissing', '', '', 'Its place named a job that does not exist: either a producer wrote a '
        .. 'field `id` instead of `job`, or the record was deleted in Redis. Enqueue it again if it is still wanted.', '',
        cjson.encode({ id = id }))
end

-- Agreement suspects -----------------------------------------------------------------------------------------------
-- Apple doesn't say which error an unaccepted addendum makes. Some codes, when several transactions get them in a row,
-- say more about the app than about the jobs: then the app pauses, and the letters of the run bear the pause's number.

-- code → how many different transactions, and within which time (0: in a row, however long it takes)
local SUSPECTS = {
    ['4000135'] = { 3, 0, 'operationNotAllowed', 'three different transactions in a row got OperationNotAllowedError' },
    ['4030010'] = { 3, 0, 'subscriptionNotEligible', 'three different transactions in a row got SubscriptionNotEligibleError' },
    ['4040010'] = { 5, 0, 'transactionsNotFound', 'five different transactions in a row were not found: environment or bundle may be wrong' },
    ['4030020'] = { 3, 3600 * 1000000, 'insufficientFunds', 'three different transactions got InsufficientFundsError within an hour' },
}

local function mark_letter(id, number)
    local entry = redis.call('HGET', job_key(id), 'dead')
    if not entry then return end
    local letter = redis.call('XRANGE', DEAD, entry, entry)
    if not letter[1] then return end
    local fields = letter[1][2]
    fields[#fields + 1] = 'pause'
    fields[#fields + 1] = number
    redis.call('XDEL', DEAD, entry)
    redis.call('HSET', job_key(id), 'dead', redis.call('XADD', DEAD, '*', unpack(fields)))
end

-- Called with each answer that rejects or accepts; code is '' where Apple gave none. The funds' run is one of time, the
-- others are broken by any other answer.
local function note_suspect(job, code)
    local run = redis.call('HMGET', GATE, 'suspects', 'funds')
    local suspect = SUSPECTS[code]
    if not suspect then
        if run[1] then redis.call('HDEL', GATE, 'suspects') end
        return
    end
    -- What was under way when the run paused the app died of the same cause.
    local standing = redis.call('HMGET', GATE, 'paused', 'pauses')
    if standing[1] == suspect[3] then return mark_letter(job.id, standing[2]) end
    local field = suspect[2] > 0 and 'funds' or 'suspects'
    local stored = suspect[2] > 0 and run[2] or run[1]
    local seen = {}
    for _, sight in ipairs(stored and cjson.decode(stored) or {}) do
        local isOld = suspect[2] > 0 and tonumber(sight.at) < now - suspect[2]
        if sight.code == code and sight.transaction ~= job.transaction and not isOld then seen[#seen + 1] = sight end
    end
    seen[#seen + 1] = { code = code, transaction = job.transaction, id = job.id, at = stamp(now) }
    if #seen < suspect[1] then
        redis.call('HSET', GATE, field, cjson.encode(seen))
        return
    end
    redis.call('HDEL', GATE, field)
    local is_new, number = pause_app(suspect[3], 'fleet', suspect[4] .. '; check the Addendum in App Store Connect, then '
        .. 'bundleId, environment and key', job.id)
    if is_new then for _, sight in ipairs(seen) do mark_letter(sight.id, number) end end
end

-- Lost leases --------------------------------------------------------------------------------------------------------

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

-- A lease was lost: its request may have left, so the id is open and goes again with the same bytes, but not before
-- the lost request can no longer be on its way. Lost a third time, the job itself is suspected of killing workers.
local LEASES_A_JOB_MAY_LOSE = 2
local function lose_lease(job)
    leave_open(job)
    local lost = tonumber(job.lost or '0') + 1
    set_job(job, 'lost', stamp(lost))
    record_attempt(job, 'lost', '', '', '')
    end_lease(job)
    if lost > LEASES_A_JOB_MAY_LOSE then
        write_letter(job, 'workerLost', '', '', 'Three workers in a row disappeared while they sent this job. Look at their '
            .. 'logs first; its request may have arrived, so a redrive repeats the same requestReferenceId.')
        return
    end
    set_job(job, 'state', 'unclear')
    redis.call('ZADD', LATER, stamp(repeat_due(job)), job.id)
    ring()
end
