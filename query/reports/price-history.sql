-- title: Prices by the day they were read
-- question: what a device cost when, where and in which size of instance, and which of these prices count today
-- group: What does it cost?
-- site: Price and cost
-- param: device | text | | one device (default: the one that most providers offer) | SELECT DISTINCT device FROM v_price ORDER BY 1
-- param: provider | text | | one provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: kind | text | on-demand | on-demand, reserved, spot, list; any: all | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: devices | number 1.. | | only what is rented in this number
-- param: currency | text | | only prices in this currency | SELECT DISTINCT currency FROM v_price UNION SELECT 'USD' ORDER BY 1
-- param: today | date | | the day on which a price counts (default: today)
-- column: device | device | |
-- column: provider | provider | |
-- column: tier | tier | | kind of the provider
-- column: devices | devices | | that are rented together
-- column: per_device_hour | per device and hour | 4 | derived: the amount, shared by the devices
-- column: currency | currency | | as stated
-- column: first_day | from | | the earliest day that the source's date may mean
-- column: last_day | read on | | the latest day that it may mean
-- column: counts | counts | | now; until the day of a later price; from a later day; or why it does not count
-- column: kind | kind | |
-- column: instance | instance | cut30 |
-- column: region | region | |
-- column: source | source | |
-- column: locator | where | cut40 |
-- hoist: device kind currency source
-- @table chosen
SELECT coalesce(:device, (SELECT device FROM v_price GROUP BY device ORDER BY count(DISTINCT provider) DESC, device LIMIT 1)) AS device, coalesce(:today, date('now')) AS day
-- @rows
SELECT p.device, p.provider, (SELECT v.kind FROM v_provider v WHERE v.provider = p.provider) AS tier, p.devices,
       coalesce(p.per_device_hour, p.amount) AS per_device_hour, p.currency, CASE WHEN p.valid_from IS NOT NULL THEN p.first_day END AS first_day, p.last_day,
       CASE WHEN p.per <> 'hour' THEN 'no: a purchase' WHEN p.currency <> 'USD' AND p.currency NOT IN (SELECT currency FROM v_exchange_rate) THEN 'no: no exchange rate of ' || p.currency || ' is here'
            WHEN (SELECT d.year FROM v_device d WHERE d.device = p.device) > CAST(substr(p.last_day, 1, 4) AS INTEGER) THEN 'no: before its device existed'
            WHEN o.price_id IS NULL THEN 'no: stated for one device beside it'
            WHEN p.last_day > c.day THEN 'from ' || p.last_day WHEN o.valid_to <= c.day THEN 'until ' || o.valid_to ELSE 'now' END AS counts,
       p.kind, p.instance, p.region, p.source, p.locator,
       p.device AS _of, p.key AS _facts
  FROM chosen c JOIN v_price p ON p.device = c.device
  LEFT JOIN v_price_offer o ON o.price_id = p.price_id
 WHERE (:provider IS NULL OR p.provider = :provider) AND (:kind = 'any' OR p.kind = :kind) AND (:devices IS NULL OR p.devices = :devices) AND (:currency IS NULL OR p.currency = :currency)
 ORDER BY p.provider, p.devices, p.last_day, p.key;
-- @notes
SELECT 'from differs from read on: the source has no date, the price was stated between these days'
  FROM chosen c JOIN v_price p ON p.device = c.device WHERE length(p.valid_from) = 21 GROUP BY 1;
