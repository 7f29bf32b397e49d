/** SQL for the key of the delivery with the id @id. Its index has a range for each 1,024 deliveries: the query searches each range. */
export const findById = `
  WITH RECURSIVE thousand (number) AS (
    SELECT (SELECT max(key) FROM deliveries) >> 10
    UNION ALL SELECT number - 1 FROM thousand WHERE number > (SELECT min(key) FROM deliveries) >> 10
  )
  SELECT named.key FROM thousand CROSS JOIN deliveries AS named
    ON named.key >> 10 = thousand.number AND substr(named.id, 1, 8) = substr(@id, 1, 8)
  WHERE named.id = @id LIMIT 1`;
