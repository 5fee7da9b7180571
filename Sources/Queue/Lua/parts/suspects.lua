-- suspects: answers that say more about the app than about the job. Not a script of its own.
-- needs: jobs alarms

-- Apple doesn't say which error an unaccepted addendum makes. Some codes, when several transactions get them in a row,
-- say more about the app than about the jobs: then the app pauses, and the letters of the run bear the pause's number.

-- code → how many different transactions, and within which time (0: in a row, however long it takes)
local SUSPECTS = {
    ['4000135'] = { 3, 0, 'operationNotAllowed', 'three different transactions in a row got OperationNotAllowedError' },
    ['4030010'] = { 3, 0, 'subscriptionNotEligible', 'three different transactions in a row got SubscriptionNotEligibleError' },
    ['4040010'] = { 5, 0, 'transactionsNotFound', 'five different transactions in a row were not found: environment or bundle may be wrong' },
    ['4030020'] = { 3, 3600 * 1000000, 'insufficientFunds', 'three different transactions got InsufficientFundsError within an hour' },
}

-- `of`: the letter's entry when the run met it. One that was redriven since and died again has another, which may have
-- been taken back by a person and is none of the run.
local function mark_letter(id, number, of)
    local entry = redis.call('HGET', job_key(id), 'dead')
    if not entry or of and entry ~= of then return end
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
    seen[#seen + 1] = { code = code, transaction = job.transaction, id = job.id, at = stamp(now),
        letter = redis.call('HGET', job_key(job.id), 'dead') }
    if #seen < suspect[1] then
        redis.call('HSET', GATE, field, cjson.encode(seen))
        return
    end
    redis.call('HDEL', GATE, field)
    local is_new, number = pause_app(suspect[3], 'fleet', suspect[4] .. '; check the Addendum in App Store Connect, then '
        .. 'bundleId, environment and key', job.id)
    if is_new then for _, sight in ipairs(seen) do mark_letter(sight.id, number, sight.letter) end end
end
