-- title: What to buy or rent for {rate} to train within {time_to_train}
-- question: which accelerators to buy or rent for a wanted rate or training, in whole systems, the cheapest first, and what would change that
-- group: What does it cost?
-- first: yes
-- site: Price and cost
-- explore: per=rate
-- param: model | text | | what shall be run: a benchmark or model
-- param: scenario | text | | Server, Offline, Interactive, ...
-- param: selection | text | | what shall be run: names, or column OP value, joined by commas (default: the LLM and scenario, or the training, that most devices of MLPerf have)
-- param: rate | text | | wanted rate, such as 100k/s or 360M/h (default: one system of each, by what a unit of work costs)
-- param: time_to_train | text | | a training instead: done within 30min, 2h, 1d, or any time
-- param: ttft | text | | longest time to first token, such as 2s: only results that keep it
-- param: tpot | text | | longest time per output token, such as 50ms: only results that keep it
-- param: latency | text | | longest time of a whole query, such as 130ms: only results that keep it
-- param: percentile | number 0..100 | 99 | of --ttft, --tpot and --latency: of the requests, in percent, that must keep them
-- param: where | text | | conditions on the results: 'availability=available, devices<=8', 'verified=yes'; what they leave out is counted
-- param: per | text | dollar | what is saved: dollar, device or watt | SELECT 'dollar' UNION SELECT 'device' UNION SELECT 'watt'
-- param: metric | text | | metric of the results (default: the workload's own)
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: tier | text | | only prices of providers of this kind: tier-1 cloud, GPU cloud, marketplace, vendor; any: of all (default: the kind that offers most of the devices) | SELECT DISTINCT kind FROM v_provider UNION SELECT 'any' ORDER BY 1
-- param: vendor | text | | only devices of this vendor | SELECT DISTINCT vendor FROM v_device ORDER BY 1
-- param: max_usd_per_hour | number >0.. | | leave out what costs more an hour
-- param: price_kind | text | on-demand | kind of the prices; on-demand and spot are shipped, 'abdb query prices' shows what is there; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_date | date | | prices as they were on this day
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: price | price | | your own quotes for one device: 'DEVICE=2.49 USD/h', for what 8 cost together 'DEVICE=19.92 USD/h/8'; several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: own | text | | what owning costs, beside renting: 'DEVICE=45000', USD for a device with its share of the system; as `abdb query cost-model` with the five options below
-- param: life | number >0.. | 4 | of --own: years until it is worth nothing
-- param: utilisation | number >0..1 | 0.7 | of --own: fraction of its life that it works
-- param: power | number 0.. | | of --own: W of a device with its share of the system (default: as the device is specified, without the system)
-- param: pue | number 1.. | 1.3 | of --own: power usage effectiveness of the building
-- param: electricity | number 0.. | 0.10 | of --own: USD per kWh
-- param: limit | number 1.. | 12 | rows at most
-- param: today | date | | the day to which a price's age is counted (default: --price-date, else today)
-- param: why | flag | | the cost relative to the first as a product: price, rate, whole systems, whole offers
-- param: ranges | text | | how often each is first while inputs vary: 'price=0.8..1.5,rate=0.9..1.1' (multiples of price, rate, power and utilisation), or evidence: prices from the cheapest to the dearest offer, rates from the lowest to the highest result
-- param: seed | number 0.. | 1 | of the 10,000 draws of --ranges
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: work | what | | that is run
-- column: scenario | scenario | | of MLPerf, or training
-- column: place | # | |
-- column: device | device | cut24 | canonical device
-- column: how | how | | kind of the price, or owned
-- column: systems | systems | | whole systems that are needed
-- column: devices | devices | | in all of them
-- column: usd_per_device_hour | USD/h/device | g4 | the lowest offer that counts, or your quote, or the cost of owning
-- column: usd_per_hour | USD/h | g5 | for all that are rented: whole offers, of which each has so many devices as it is offered with
-- column: usd_per_million | USD/million | g4 | for a million units of work (tokens, samples, queries): at the wanted rate, or at full load
-- column: usd_of_run | USD/training | g5 | devices, price and time of the result
-- column: minutes | minutes | g4 | of the training
-- column: watts | W | g5 | measured of the system, times systems
-- column: of_first | of first | 2 | cost, relative to the first
-- column: break_even | wins below† | g4 | the price per device and hour at which it costs what the first does; of the first: what the second does
-- column: dearest | up to | g4 | the highest offer of the device that counts, USD/h/device
-- column: providers | providers | | that offer it
-- column: provider | cheapest at | |
-- column: uncertain | uncertain | cut60 | what makes it uncertain: age of the price, few submitters, not verified, not available
-- column: size | chips | | devices of one system as it was measured
-- column: rate_each | rate of one† | g5 | of one system
-- column: unit | unit | |
-- column: submitter | submitter | cut16 | of the result
-- column: system | system | cut30 | as submitted
-- column: round | round | |
-- column: dtype | weights | |
-- column: public_id | ID | | of the result
-- column: rented | rented | | devices in the whole offers that are rented
-- column: offered | offered by | | devices that are rented together: 8 of an instance of 8; 0: any number, where a source only says what one costs
-- column: met_by | limit kept by | | how the result keeps --ttft, --tpot, --latency: = as it measured, <= as its round of MLPerf requires
-- column: limits | limits of MLPerf | | latency limits that the round of MLPerf requires of the benchmark and scenario
-- column: why | why | cut80 | of first, as a product; factors of 1 are left out
-- column: times_price | price | g4 | factor of the price of a device and hour, as stated and in full use; of --per watt the power of a device
-- column: times_rate | rate | g4 | factor of the rate of a device: below 1 where it is faster; of a training its time
-- column: times_systems | whole systems | g4 | factor of rounding to whole systems; of a training its devices
-- column: times_offers | whole offers | g4 | factor of rounding to whole offers that are rented
-- column: first_in | first in % | 1 | of the draws of --ranges, in percent
-- column: delivers | delivers† | g5 | rate of all these systems at full load
-- column: used | used | 2 | fraction of it that the wanted rate is
-- column: usd_per_million_full | USD/million at full load | g4 | for a million units of work, with all that they deliver
-- column: tier | tier | | kind of the providers whose prices count; empty: of all, or not known
-- column: fabric | network | | between the instances that one measured system takes, as a source states it; not promised: none does
-- column: weights_gb | weights GB† | g4 | parameters of the model x bytes of the weights' format; empty: one of them is not known
-- column: memory_gb | memory GB | g4 | of the devices of one system, as specified
-- column: warnings | warnings | | for programs: what the lines that begin with ! say
-- column: times_exchange | exchange rate | g4 | factor of the currencies in which the prices are stated; empty: they are the same
-- column: times_utilisation | utilisation | g4 | factor of the paid hours in which a device that is owned is idle; empty: neither is owned
-- hoist: weights_gb memory_gb fabric tier delivers used usd_per_million_full why times_price times_rate times_systems times_offers times_exchange times_utilisation first_in met_by limits work scenario how unit round dtype rate_each public_id usd_of_run usd_per_million usd_per_hour watts minutes of_first break_even dearest providers usd_per_device_hour provider
-- bare: warnings
-- @table training
SELECT model, count(DISTINCT device) AS devices FROM v_mlperf
 WHERE :time_to_train IS NOT NULL AND unit = 's' AND suite = 'training' AND left_out = ''
 GROUP BY model ORDER BY devices DESC, model
-- @table asked
-- Devices are counted by the names that runs give, each combination once: of 50,000 results they are some thousands. Devices of
-- mixed systems are not counted. An LLM: the dictionary names no other task, and there is a rate of tokens.
SELECT coalesce(nullif(substr(iif(:model IS NULL, '', ',work=' || quote(:model)) || iif(:scenario IS NULL, '', ',scenario=' || quote(:scenario))
    || coalesce(',' || :selection, ''), 2), ''),
 CASE WHEN :time_to_train IS NULL THEN (SELECT 'work=' || quote(p.model) || iif(coalesce(:ttft, :tpot, :latency) IS NULL, ',scenario=' || quote(p.scenario), '')
  FROM (SELECT m.canon AS model, s.scenario AS scenario, count(DISTINCT d.canon) AS devices
          FROM (SELECT DISTINCT raw_model, scenario, raw_device FROM v_run WHERE evidence = 'mlperf' AND division = 'closed') s
          JOIN v_name d ON d.kind = 'device' AND d.spelling = s.raw_device AND d.parts = 1
          JOIN v_name m ON m.kind = 'model' AND m.spelling = s.raw_model
          LEFT JOIN v_model l ON l.model = m.canon
         WHERE coalesce(l.task, 'llm') = 'llm'
         GROUP BY m.canon, s.scenario) p
 WHERE EXISTS (SELECT 1 FROM v_name n JOIN v_mlperf r ON r.raw_model = n.spelling
                WHERE n.kind = 'model' AND n.canon = p.model AND r.scenario = p.scenario AND r.division = 'closed'
                  AND r.unit = 'token/s' AND r.left_out = '')
 ORDER BY p.scenario <> 'Server', p.devices DESC, p.model, p.scenario LIMIT 1)
 ELSE (SELECT 'work=' || quote(model) FROM training LIMIT 1) END) AS selection
-- @table options
SELECT json_object('selection', a.selection, 'rate', :rate, 'time_to_train', :time_to_train, 'where', nullif(coalesce(:where, '') || CASE WHEN :vendor IS NULL THEN '' ELSE CASE WHEN :where IS NULL THEN '' ELSE ',' END || 'vendor=' || quote(:vendor) END, ''), 'tier', coalesce(:tier, CASE WHEN :provider IS NULL AND :per = 'dollar' THEN 'widest' END),
  'saves', :per, 'metric', :metric, 'provider', :provider, 'price_kind', :price_kind, 'price_date', :price_date,
  'price_max_age', :price_max_age, 'price', :price, 'own', :own, 'life', :life, 'utilisation', :utilisation, 'power', :power,
  'pue', :pue, 'electricity', :electricity, 'today', :today, 'marks', :marks,
  'ttft', :ttft, 'tpot', :tpot, 'latency', :latency, 'percentile', :percentile, 'ranges', :ranges, 'seed', :seed, 'max_usd_per_hour', :max_usd_per_hour, 'why', json(iif(:why, 'true', 'false'))) AS said, a.selection AS selection FROM asked a
-- @table choice
SELECT c.* FROM options a, abdb_choose(a.said) c
 WHERE a.selection IS NOT NULL
-- @table purchase
SELECT c.*, c.cost / (SELECT f.cost FROM choice f WHERE f.place = 1) AS of_first,
       CASE WHEN offered >= 1 AND size > offered AND providers > 0 THEN coalesce((SELECT v.fabric FROM v_price p JOIN v_fabric v ON v.provider = p.provider AND v.instance = p.instance
          WHERE p.price_key = key_number(substr(facts, instr(facts, ' p-') + 1))), 'not promised') END AS fabric,
       printf(iif(usd_per_hour < 99999.5, '%.5g', '%.0f'), usd_per_hour) AS hour_said,
       printf(iif(usd_per_million < 999.5, '%.3g', '%.0f'), usd_per_million) AS million_said,
       printf(iif(usd_of_run < 99999.5, '%.5g', '%.0f'), usd_of_run) AS run_said,
       substr(CASE WHEN providers > 0 AND provider <> 'you' AND price_age_days IS NULL THEN ', price undated'
                   WHEN length(price_date) = 21 THEN ', price read on ' || substr(price_date, 12) || ', age unknown'
                   WHEN price_age_days > price_old_days() THEN printf(', price %d days old', price_age_days) ELSE '' END
           || CASE WHEN evidence = 'mlperf' AND submitters = 1 THEN ', one submitter' ELSE '' END
           || CASE WHEN evidence = 'mlperf' AND verified_by = 'file' THEN ', verified as its file states'
                   WHEN evidence = 'mlperf' AND coalesce(verified_by, '') <> 'mlcommons' THEN ', not known to be verified'
                   WHEN evidence = 'published' THEN ', published, not verified' ELSE '' END
           || CASE WHEN coalesce(availability, 'available') NOT LIKE 'available%' THEN ', ' || availability ELSE '' END
           || CASE WHEN price_kind = 'owned' THEN ', your assumptions' ELSE '' END
           || CASE WHEN offered = 0 AND size > 1 AND provider <> 'you' THEN ', price of one device' ELSE '' END, 3) AS uncertain
  FROM choice c WHERE c.kind = 'choice'
-- @table fresh
SELECT c.*, printf(iif(usd_per_hour < 99999.5, '%.5g', '%.0f'), usd_per_hour) AS hour_said FROM (SELECT 1 FROM purchase WHERE place = 1 AND (price_age_days > price_old_days() OR length(price_date) = 21) AND :price_max_age IS NULL AND :per = 'dollar') o
  CROSS JOIN options a CROSS JOIN abdb_choose(json_set(a.said, '$.price_max_age', price_old_days(), '$.tier', coalesce(nullif((SELECT tier FROM purchase WHERE place = 1), ''), json_extract(a.said, '$.tier')))) c
 WHERE c.kind = 'choice' AND c.place = 1
-- @table widest
-- the provider that offers most of these devices, where several providers meet in the answer
SELECT o.provider FROM v_price_offer o LEFT JOIN v_provider v ON v.provider = o.provider
 WHERE :provider IS NULL AND coalesce(v.kind, '') = coalesce((SELECT tier FROM purchase WHERE place = 1), v.kind, '') AND :price_date IS NULL AND :per = 'dollar' AND coalesce(o.last_day, '') <= date('now') AND (o.valid_to IS NULL OR o.valid_to > date('now')) AND o.kind = coalesce(nullif(:price_kind, 'any'), 'on-demand')
   AND o.device IN (SELECT device FROM purchase) AND (SELECT count(DISTINCT provider) FROM purchase) > 1
 GROUP BY o.provider HAVING count(DISTINCT o.device) > 1 ORDER BY count(DISTINCT o.device) DESC, o.provider LIMIT 1
-- @table alone
SELECT c.* FROM widest w CROSS JOIN options a CROSS JOIN abdb_choose(json_set(a.said, '$.provider', w.provider)) c WHERE c.kind = 'choice' AND c.provider = w.provider
-- @table anywhere
-- where one tier leads: what the providers of all tiers together would give
SELECT c.* FROM (SELECT 1 FROM purchase WHERE place = 1 AND tier IS NOT NULL AND :tier IS NULL) l CROSS JOIN options a
  CROSS JOIN abdb_choose(json_set(a.said, '$.tier', 'any')) c WHERE c.kind = 'choice' AND providers > 0
-- @table missing
-- devices with a price that counts and results of other language models, but none of this one; what their largest instance holds
SELECT o.device, max(o.offered) AS size, (SELECT s.value FROM v_spec s WHERE s.device = o.device AND s.quantity = 'memory_size' AND s.basis = 'card' AND s.preferred = 1) / 1e9 AS gb
  FROM purchase f JOIN v_price_offer o LEFT JOIN v_provider v ON v.provider = o.provider
 WHERE f.place = 1 AND f.unit = 'token/s' AND :per = 'dollar' AND o.kind = coalesce(nullif(:price_kind, 'any'), 'on-demand') AND (:provider IS NULL OR o.provider = :provider)
   AND (f.tier IS NULL OR coalesce(v.kind, '') = f.tier) AND (:vendor IS NULL OR EXISTS (SELECT 1 FROM v_device d WHERE d.device = o.device AND d.vendor = :vendor COLLATE NOCASE))
   AND o.device NOT IN (SELECT device FROM choice WHERE device IS NOT NULL) AND :where IS NULL
   AND o.device IN (SELECT DISTINCT device FROM v_mlperf WHERE unit = 'token/s' AND left_out = '')
   AND NOT EXISTS (SELECT 1 FROM v_mlperf r WHERE r.model = f.work AND r.scenario = f.scenario AND r.device = o.device AND r.unit = 'token/s' AND r.left_out = '')
 GROUP BY o.device
-- @table uncounted
-- prices of these devices that do not count today
SELECT printf('%s at %.5g %s of %s (%s)', p.device, p.per_device_hour, p.currency, p.provider,
              CASE WHEN p.currency <> 'USD' AND p.currency NOT IN (SELECT currency FROM v_exchange_rate) THEN 'no exchange rate of ' || p.currency || ' is here: abdb import FILE with currency,usd,day,source,locator' WHEN p.last_day > max(coalesce(:today, ''), date('now')) THEN 'from ' || p.last_day ELSE 'dated before its device existed' END) AS what
  FROM v_price p JOIN (SELECT DISTINCT device FROM choice) c ON c.device = p.device
 WHERE :price_date IS NULL AND p.per = 'hour' AND p.kind = coalesce(nullif(:price_kind, 'any'), 'on-demand') AND (:provider IS NULL OR p.provider = :provider)
   AND (p.currency <> 'USD' AND p.currency NOT IN (SELECT currency FROM v_exchange_rate) OR p.last_day > max(coalesce(:today, ''), date('now'))
        OR (SELECT d.year FROM v_device d WHERE d.device = p.device) > CAST(substr(p.last_day, 1, 4) AS INTEGER))
-- @table weights
SELECT b.all_weights_B / 1e9 AS gb, b.number_format FROM purchase f JOIN v_model_bytes b ON b.model = f.work AND b.number_format = f.dtype
 WHERE f.place = 1 AND b.all_weights_B IS NOT NULL
-- @table owned
-- what was taken for each device that is owned: watts as specified, unless --power gives them
SELECT device, usd_per_device_hour, printf('%g W %s', w, CASE WHEN :power IS NULL THEN 'of its specification, without the system' ELSE 'as given' END) AS watts
  FROM (SELECT *, coalesce(:power, (SELECT s.value FROM v_spec s WHERE s.device = purchase.device AND s.quantity = 'power' AND s.basis = 'card' AND s.preferred = 1)) AS w
          FROM purchase WHERE price_kind = 'owned' ORDER BY place)
-- @table priced
SELECT price_kind AS kind, provider_kind, provider, price_age_days AS age_days, price_date AS valid_from FROM choice
 WHERE providers > 0 AND price_kind <> 'owned'
-- @rows
SELECT work, scenario, place, device, price_kind AS how, systems, devices, usd_per_device_hour, usd_per_hour, usd_per_million, usd_of_run,
       CASE WHEN usd_of_run IS NOT NULL OR unit = 's' THEN rate / 60 END AS minutes, watts, of_first, break_even, dearest, providers, provider,
       uncertain, size, CASE WHEN unit <> 's' THEN rate END AS rate_each, nullif(unit, 's') AS unit, submitter, system, round, dtype, public_id, rented, offered, met_by, limits,
       why, times_price, times_rate, times_systems, times_offers, 100 * first_share AS first_in, delivers, used, usd_per_million_full, nullif(tier, '') AS tier, fabric,
       (SELECT b.all_weights_B / 1e9 FROM v_model_bytes b WHERE b.model = work AND b.number_format = dtype) AS weights_gb,
       size * (SELECT s.value FROM v_spec s WHERE s.device = purchase.device AND s.quantity = 'memory_size' AND s.basis = 'card' AND s.preferred = 1) / 1e9 AS memory_gb,
       replace(why, ', ', char(10)) AS _factors_of_first, facts AS _facts, NULL AS warnings, times_exchange, times_utilisation,
       (SELECT number || ' ' || coalesce(nullif(trim(substr(:time_to_train, length(number) + 1)), ''), 'min')
          FROM (SELECT rtrim(:time_to_train, ' sminhd') AS number) WHERE :time_to_train <> 'any') AS _within,
       CASE WHEN :per <> 'dollar' THEN 'with the lowest prices' WHEN tier <> '' THEN 'at ' || tier || ' prices' WHEN :provider IS NOT NULL THEN 'at prices of ' || :provider
            WHEN :tier <> 'any' THEN 'at ' || :tier || ' prices' ELSE 'at the lowest price of any provider' END
       || CASE WHEN max(length(price_date)) OVER () = 21 THEN ', some of unknown age' ELSE coalesce(printf(', up to %d days old', max(price_age_days) OVER ()), '') END AS _prices,
       count(*) OVER () AS _whole
  FROM purchase ORDER BY place LIMIT :limit;
-- @notes
-- @prices priced
, placed AS (SELECT *, CASE price_kind WHEN 'owned' THEN ' owned' WHEN 'own quote' THEN ' at your quote' ELSE ' rented ' || price_kind END AS how,
   (SELECT count(DISTINCT device) = 1 FROM purchase WHERE place <= 2 HAVING count(*) = 2) AS twice FROM purchase),
-- where one device is first and second, each is named with its kind of price
first AS (SELECT *, device || CASE WHEN twice THEN how ELSE '' END AS name FROM placed WHERE place = 1),
second AS (SELECT *, device || CASE WHEN twice THEN how ELSE '' END AS name FROM placed WHERE place = 2)
SELECT line FROM (
  SELECT 0 AS place, '! ' || why AS line FROM choice WHERE kind = 'note'
  UNION ALL
  SELECT 0, '! no LLM of MLPerf is here: name what shall be run, or import results (abdb import data: what is shipped)'
    FROM asked WHERE selection IS NULL AND :time_to_train IS NULL
  UNION ALL
  SELECT 0, '! no training was named: ' || coalesce((SELECT model FROM training LIMIT 1) || ', of which most devices have a result, is taken; there are '
                                           || (SELECT group_concat(model, ', ') FROM (SELECT model FROM training ORDER BY model)),
                                         'none is here: abdb import data brings what is shipped')
   WHERE :time_to_train IS NOT NULL AND :model IS NULL AND :scenario IS NULL AND :selection IS NULL
  UNION ALL
  SELECT 1, CASE WHEN price_kind = 'owned' THEN 'owned, at your assumptions, ' WHEN provider = 'you' THEN 'at your quote ' ELSE coalesce('at ' || nullif(tier, '') || ' prices ', '') END || CASE WHEN EXISTS (SELECT 1 FROM second) THEN name || ' is first' ELSE 'only ' || device || ' is left' END ||
            printf(': %d device%s for %s USD/h', devices, CASE devices WHEN 1 THEN '' ELSE 's' END, hour_said) ||
            CASE WHEN offered > 1 THEN printf(' (%d x %d rented at %s)', rented / offered, offered, provider) ELSE '' END ||
            CASE WHEN usd_per_million IS NOT NULL THEN printf(', %s USD per million %s', million_said, CASE unit WHEN 'query/s' THEN 'queries' ELSE replace(unit, '/s', '') || 's' END) ELSE '' END ||
            CASE WHEN usd_of_run IS NOT NULL THEN printf(', %s USD a training', run_said) ELSE '' END
    FROM first f WHERE usd_per_hour IS NOT NULL
  UNION ALL
  SELECT 1, printf('at %s alone (%s): %s USD/h', provider, coalesce(provider_kind, 'kind not known'), group_concat(device || printf(iif(usd_per_hour < 99999.5, ' %.5g', ' %.0f'), usd_per_hour), ', ' ))
    FROM (SELECT * FROM alone ORDER BY place LIMIT 4) HAVING count(*) > 1 AND EXISTS (SELECT 1 FROM purchase p WHERE p.place <= 4 AND p.provider NOT IN (SELECT provider FROM widest))
  UNION ALL
  SELECT 1, 'cheapest anywhere: ' || group_concat(device || printf(iif(said < 99999.5, ' %.5g', ' %.0f'), said) || CASE WHEN price_kind = 'owned' THEN ' (owned)' WHEN provider = 'you' THEN ' (your quote)' ELSE printf(' (%s, %s)', provider, coalesce(provider_kind, 'kind not known')) END, ', ') ||
         (SELECT CASE WHEN usd_of_run IS NOT NULL THEN ' USD a training' WHEN :rate IS NOT NULL THEN ' USD/h' ELSE ' USD per million' END FROM first) || '; what these prices include differs: --tier any'
    FROM (SELECT *, coalesce(usd_of_run, CASE WHEN :rate IS NOT NULL THEN usd_per_hour ELSE usd_per_million END) AS said FROM anywhere ORDER BY place LIMIT 3)
  HAVING (SELECT count(*) FROM anywhere x WHERE x.provider <> 'you' AND coalesce(x.provider_kind, '') <> (SELECT tier FROM first)) > 0
  UNION ALL
  SELECT 1, 'rented in whole offers: ' || group_concat(printf('%s %d for the %d that are needed', device, rented, devices), ', ')
    FROM (SELECT * FROM purchase WHERE rented > devices AND place <= :limit ORDER BY place) HAVING count(*) > 0
  UNION ALL
  SELECT 2, printf('! owning is computed from --own %s: %g years at %g %% use, %s, PUE %g, %g USD/kWh; no staff, building, network or interest (--life, --utilisation, --power, --pue, --electricity)',
                   :own, :life, 100 * :utilisation, group_concat(device || ' ' || watts, ', '), :pue, :electricity)
    FROM owned HAVING count(*) > 0
  UNION ALL
  SELECT 2, '! measured as one system, rented as several instances without a promised network between them: '
         || group_concat(printf('%s (%d x %d at %s)', device, rented / offered, offered, provider), ', ')
    FROM (SELECT * FROM purchase WHERE fabric = 'not promised' AND place <= :limit ORDER BY place) HAVING count(*) > 0
  UNION ALL
  SELECT 2, 'network between instances: ' || group_concat(device || ' ' || fabric || ' (' || provider || ')', ', ')
    FROM (SELECT * FROM purchase WHERE fabric <> 'not promised' AND place <= :limit ORDER BY place) HAVING count(*) > 0
  UNION ALL
  SELECT 2, printf('! uncertain of %s: %s', device, uncertain) FROM first WHERE uncertain <> ''
  UNION ALL
  SELECT 2, CASE WHEN device = first_device THEN printf('with prices dated within the last %d days it stays first, for %s USD/h', price_old_days(), hour_said)
                 ELSE printf('with prices dated within the last %d days %s is first: %d device%s for %s USD/h', price_old_days(), device, devices, CASE devices WHEN 1 THEN '' ELSE 's' END, hour_said) END
    FROM (SELECT device AS first_device FROM first) g, fresh f
  UNION ALL
  SELECT 2, printf('it stays first up to %.4g USD per device and hour; %s at %.4g wins below %.4g', f.break_even, s.name,
                   s.usd_per_device_hour, s.break_even) FROM first f, second s WHERE f.break_even IS NOT NULL
  UNION ALL
  SELECT 3, printf('! at its highest offer, %.4g USD per device and hour, it would not be first', dearest)
    FROM first WHERE break_even IS NOT NULL AND dearest > break_even
  UNION ALL
  SELECT 4, '! systems of different size meet: of each device the ' || CASE :per WHEN 'device' THEN 'smallest that trains it' ELSE 'one that trains it' END ||
            CASE WHEN :time_to_train <> 'any' THEN ' in that time' ELSE '' END || CASE :per WHEN 'device' THEN '' ELSE ' at the lowest price' END ||
            printf('; what a training costs may be compared, the speed of a device may not; --where devices=%d chooses at equal scale', size)
    FROM first WHERE (SELECT count(DISTINCT size) FROM purchase WHERE unit = 's') > 1
  UNION ALL
  SELECT 3, printf('first in %% of 10,000 draws, seed %d: each input of each device log-uniform within %s', :seed,
                   CASE :ranges WHEN 'evidence' THEN 'its offers (price) and results (rate)' ELSE :ranges END) FROM first WHERE :ranges IS NOT NULL
  UNION ALL
  SELECT 3, printf('%s alone: at %.4g times that of %s, %s is first', CASE WHEN c.why = 'rate' AND f.unit = 's' THEN 'time' ELSE c.why END, c.cost, f.device, c.device)
    FROM choice c, first f WHERE c.kind = 'flip'
  UNION ALL
  SELECT 4, '! converted: ' || group_concat(printf('%s %.5g %s at %.6g USD of %s (%s)', f.device, o.stated, o.currency, o.usd, o.rate_day, coalesce(o.rate_source, 'source not stated')), ', ')
    FROM (SELECT * FROM purchase WHERE place <= :limit ORDER BY place) f
    JOIN v_price_offer o ON o.device = f.device AND o.provider = f.provider AND o.key = substr(f.facts, instr(f.facts, ' p-') + 1) AND o.currency <> 'USD' HAVING count(*) > 0
  UNION ALL SELECT 4, line FROM prices_said
  UNION ALL
  SELECT 5, 'left out: ' || group_concat(what, ', ') || ': ' || why
    FROM (SELECT why, device || CASE WHEN n IS NOT NULL THEN ' (' || n || ')'
                                    WHEN break_even IS NOT NULL THEN printf(' (first below %.4g)', break_even) ELSE '' END AS what
            FROM choice WHERE kind = 'left-out'
           ORDER BY why, device) GROUP BY why
  UNION ALL
  SELECT 5, 'prices that do not count: ' || group_concat(what, ', ') FROM (SELECT what FROM uncounted ORDER BY 1) HAVING count(*) > 0
  UNION ALL
  SELECT 5, 'no result of it here: ' || group_concat(x.device || CASE WHEN x.size >= 1 AND x.gb IS NOT NULL THEN printf(' (%d x %g GB%s)', x.size, x.gb, CASE WHEN x.size * x.gb < w.gb THEN ', less than the weights' ELSE '' END) ELSE '' END, ', ')
         || coalesce(printf('; weights take %.4g GB at %s (abdb query model-memory)', w.gb, w.number_format), '')
    FROM (SELECT * FROM missing ORDER BY device) x LEFT JOIN weights w ON true HAVING count(*) > 0
  UNION ALL SELECT 6, '† derived by abdb: whole systems of a result are multiplied, which no result of MLPerf® shows'
              WHERE EXISTS (SELECT 1 FROM purchase WHERE unit <> 's')
  UNION ALL SELECT 6, '† derived by abdb' WHERE EXISTS (SELECT 1 FROM purchase WHERE unit = 's'))
 ORDER BY place;
