-- title: Users within a latency limit {at} inside an envelope
-- question: how many users a power, a number of racks or an hourly budget serves within a latency limit, and what binds first
-- group: What does it cost?
-- site: Serving
-- param: at | text | tpot=50ms | limits, such as ttft=2s,tpot=50ms (ttft, tpot, latency)
-- param: percentile | number 0..100 | 99 | of the requests, in percent, that keep them
-- param: between | text | step | step: the best measured point; linear, monotone: interpolated | VALUES ('step'), ('linear'), ('monotone')
-- param: model | text | | what was served
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: where | text | | conditions: column OP value, ...
-- param: watts | number >0.. | | power that is there, such as 1e6 for 1 MW
-- param: racks | number >0.. | | racks that are there
-- param: usd_per_hour | number >0.. | | budget of an hour
-- param: power | text | rated | definition of the power of a system: rated (of its devices, as specified); in the run of the point wall, supply or counters; measured: any one of these | VALUES ('rated'), ('measured'), ('wall'), ('supply'), ('counters')
-- param: device_watts | number >0.. | | your own power of a device with its share of the system, instead
-- param: pue | number 1.. | 1 | power of the site over that of its systems
-- param: devices_per_rack | number 1.. | | devices that a rack holds
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: today | date | | the day to which a price's age is counted (default: today)
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices of one system
-- column: model | model | cut30 | as served
-- column: dtype | weights | | number format
-- column: input_tokens | prompt | g4 | mean tokens of a prompt
-- column: output_tokens | answer | g4 | mean tokens of an answer
-- column: users | users | g5 | requests in flight of all systems: the load of a closed loop at the point that answers
-- column: tokens_per_s | tokens/s | g5 | output tokens of all systems
-- column: systems | systems | | whole systems that fit
-- column: binds | binds first | | the envelope that holds no further system: power, racks or budget
-- column: kilowatts | kW | g4 | that these systems take
-- column: racks_used | racks | g4 | that these systems take
-- column: usd_per_hour | USD/h | g5 | that these systems cost
-- column: device_watts | W/device | g4 | of the definition of power
-- column: power | power | | its definition: rated, wall, supply, counters or unknown; or yours
-- column: price | USD/h/device | 3 | the lowest that counts, or your quote
-- column: provider | provider | | who asks that price; you: --price
-- column: price_age_days | days old | 0 | of the price; from its first day where that is a range
-- column: users_per_kilowatt | users/kW | g4 |
-- column: users_per_usd_hour | users/(USD/h) | g4 |
-- column: load | load of one | g4 | users of one system
-- column: standing | standing | | within: inside the measured range; clamped: beyond its end
-- column: why | no answer because | cut80 |
-- column: curve | curve | cut60 | what its points agree in; ~: to two or three digits
-- hoist: devices model dtype input_tokens output_tokens power standing
-- bare: kilowatts racks_used usd_per_hour device_watts price provider price_age_days users_per_kilowatt users_per_usd_hour why
-- note: a user is a request in flight, who sends the next one when it is answered; nobody pauses, and no turn finds an earlier one in a cache
-- @table served
SELECT DISTINCT workload FROM v_curve WHERE (:model IS NULL OR model = :model) AND (:device IS NULL OR device = :device)
-- @table read
SELECT c.* FROM served w, abdb_curve_at(json_object('selection', 'workload=' || quote(w.workload) || iif(:model IS NULL, '', ',model=' || quote(:model)) || iif(:device IS NULL, '', ',device=' || quote(:device)),
       'where', :where, 'at', :at, 'percentile', :percentile, 'between', :between)) c
-- @table offer
SELECT * FROM abdb_offers(:price, NULL, NULL, :price_kind, :today)
-- @table system
SELECT r.*, c.nodes, c.entry_id, c.input_tokens, c.output_tokens FROM read r LEFT JOIN v_curve c ON c.result_id = r.result_id
-- @offers system WHERE device IS NOT NULL
-- @table small
SELECT * FROM met WHERE small
-- @table need
SELECT r.*, a.per_device_hour, a.provider, a.provider_kind, a.kind, a.age_days, a.valid_from, a.key AS price_key,
       coalesce(:device_watts, CASE :power WHEN 'rated' THEN (SELECT s.value FROM v_spec s WHERE s.device = r.device AND s.quantity = 'power' AND s.basis = 'card' AND s.preferred = 1)
                ELSE (SELECT p.value FROM v_power p WHERE p.entry_id = r.entry_id AND p.metric = 'power_w' AND (:power = 'measured' OR p.definition = :power) ORDER BY p.ordinal LIMIT 1) END) AS stated_watts,
       CASE WHEN :device_watts IS NULL AND :power <> 'rated' THEN
                (SELECT coalesce(p.definition, 'unknown') FROM v_power p WHERE p.entry_id = r.entry_id AND p.metric = 'power_w' AND (:power = 'measured' OR p.definition = :power) ORDER BY p.ordinal LIMIT 1) END AS definition
  FROM system r LEFT JOIN used a ON a.device = r.device AND a.size IS r.devices AND a.nodes IS r.nodes
-- @table sized
-- of one system; measured power is that of the run
SELECT n.*, CASE WHEN :device_watts IS NULL AND :power <> 'rated' THEN stated_watts ELSE stated_watts * n.devices END * :pue AS system_watts,
       n.devices * 1.0 / :devices_per_rack AS system_racks, n.devices * n.per_device_hour AS system_usd
  FROM need n
-- @table fitted
SELECT s.*, CAST(floor(:watts / system_watts * (1 + 1e-12)) AS INTEGER) AS by_power, CAST(floor(:racks / system_racks * (1 + 1e-12)) AS INTEGER) AS by_racks,
       CAST(floor(:usd_per_hour / system_usd * (1 + 1e-12)) AS INTEGER) AS by_budget,
       CASE WHEN s.value IS NULL THEN s.why
            WHEN s.load_kind NOT IN ('users', 'concurrency') THEN 'users are not counted along ' || s.load_kind
            WHEN coalesce(:watts, :racks, :usd_per_hour) IS NULL THEN 'no envelope: --watts, --racks or --usd-per-hour'
            WHEN :watts IS NOT NULL AND system_watts IS NULL THEN 'no ' || :power || ' power of it is known: --device-watts gives one'
            WHEN :watts IS NOT NULL AND (SELECT count(DISTINCT definition) FROM sized) > 1 THEN
                 'its power is by definition ' || definition || ', another''s is not: --power wall, supply or counters'
            WHEN :racks IS NOT NULL AND system_racks IS NULL THEN 'how many devices a rack holds is not known: --devices-per-rack'
            WHEN :usd_per_hour IS NOT NULL AND system_usd IS NULL THEN 'no price of it is known: --price gives one' END AS reason
  FROM sized s
-- @table counted
SELECT f.*, CASE WHEN reason IS NULL THEN min(coalesce(by_power, 9e15), coalesce(by_racks, 9e15), coalesce(by_budget, 9e15)) END AS systems FROM fitted f
-- @rows
SELECT device, devices, model, dtype, input_tokens, output_tokens, systems * load AS users, systems * value AS tokens_per_s, CAST(systems AS INTEGER) AS systems,
       CASE systems WHEN by_power THEN 'power' WHEN by_racks THEN 'racks' WHEN by_budget THEN 'budget' END AS binds,
       systems * system_watts / 1000 AS kilowatts, systems * system_racks AS racks_used, systems * system_usd AS usd_per_hour, stated_watts AS device_watts,
       CASE WHEN :device_watts IS NOT NULL THEN 'yours' WHEN :watts IS NOT NULL THEN coalesce(definition, :power) END AS power, per_device_hour AS price, provider, age_days AS price_age_days,
       load / (system_watts / 1000) AS users_per_kilowatt, load / system_usd AS users_per_usd_hour, load, standing, reason AS why, curve,
       trim(coalesce(device, '') || coalesce(' ' || dtype, '')) AS _label, key || coalesce(' ' || key_high, '') || coalesce(' ' || price_key, '') AS _facts
  FROM counted ORDER BY model, users DESC, device, curve;
-- @notes
-- @prices need small
SELECT line FROM (
  SELECT 1 AS place, CASE WHEN :device_watts IS NOT NULL THEN 'power: yours, of a device with its share of the system'
              WHEN :power = 'rated' THEN 'power: rated, of the devices alone: hosts, switches and losses are not in it'
              ELSE 'power: as the run of the point measured it, of one system' END || printf('; times PUE %g', :pue) AS line WHERE :watts IS NOT NULL
  UNION ALL SELECT 1, line FROM prices_said
  UNION ALL SELECT 2, 'between points the load is that of the lower one' WHERE :between <> 'step'
  UNION ALL SELECT 3, 'no curve is here: `abdb import FILE --set device=...` reads vLLM, SGLang and InferenceX' WHERE NOT EXISTS (SELECT 1 FROM served))
 ORDER BY place;
