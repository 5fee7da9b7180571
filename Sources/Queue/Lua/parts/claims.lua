-- claims: which jobs have asked for a SKU of a transaction. Not a script of its own.
-- needs: jobs

-- A claim's field holds the ids of its jobs, oldest first, with a blank between; more than one takes allowRepeat.

local function other_holder(ids, id)
    for holder in string.gmatch(ids or '', '%S+') do
        if holder ~= id then return holder end
    end
    return nil
end

-- What a job lays claim to in its transaction: each SKU of a refund, the whole subscription ("*"), or its renewal.
local function claims_of(job)
    if job.operation == 'revoke' then return { '*' } end
    if job.operation == 'cancel' then return { 'cancel' } end
    local claims = {}
    local request = cjson.decode(redis.call('HGET', job_key(job.id), 'body'))
    for i, item in ipairs(request.items) do claims[i] = 's:' .. item.SKU end
    return claims
end

-- The id of the job whose claim stands in the way of these claims, or nil and whether no job at all has any of them.
local function claim_against(transaction, claims, id)
    local purchase = purchase_key(transaction)
    local untouched = true
    for _, claim in ipairs(claims) do
        local held = redis.call('HMGET', purchase, 'claim:' .. claim, 'claim:*')
        local holder = other_holder(held[1], id)
        if not holder and claim ~= 'cancel' then holder = other_holder(held[2], id) end
        if holder then return holder end
        if held[1] then untouched = false end
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
    return nil, untouched
end

-- `untouched`: what claim_against said.
local function take_claims(transaction, claims, id, untouched)
    local fields = {}
    for i, claim in ipairs(claims) do fields[i] = 'claim:' .. claim end
    local held = untouched and {} or redis.call('HMGET', purchase_key(transaction), unpack(fields))
    local taken = { 'job:' .. id, '' }
    for i, field in ipairs(fields) do
        local ids = held[i]
        if not ids then
            ids = id
        elseif not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then
            ids = ids .. ' ' .. id
        end
        taken[i * 2 + 1] = field
        taken[i * 2 + 2] = ids
    end
    redis.call('HSET', purchase_key(transaction), unpack(taken))
end

local function drop_claims(job)
    local purchase = purchase_key(job.transaction)
    for _, claim in ipairs(claims_of(job)) do
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
