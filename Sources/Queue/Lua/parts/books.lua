-- books: one line of the ledger. Not a script of its own.

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
