-- books: one line of the ledger. Not a script of its own.

-- One line of the books. Empty values are left out: unknown is empty, never 0. `fields`, whose last is no nil, is used up.
local function book(kind, id, fields)
    local last = 0
    for i = 1, #fields, 2 do
        local value = fields[i + 1]
        if value and value ~= '' then
            fields[last + 1], fields[last + 2] = fields[i], value
            last = last + 2
        end
    end
    redis.call('XADD', LEDGER, '*', 'kind', kind, 'id', id, 'at', now_ms, unpack(fields, 1, last))
end
