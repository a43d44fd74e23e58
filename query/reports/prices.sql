-- title: Prices, with date, provider and age
-- question: what an hour costs, where, of which kind, and how old the figure is
-- group: What does it cost?
-- first: yes
-- site: Price and cost
-- param: device | text | | one device | SELECT DISTINCT device FROM v_price ORDER BY 1
-- param: provider | text | | one provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: kind | text | | on-demand, reserved, spot | SELECT DISTINCT kind FROM v_price ORDER BY 1
-- param: today | date | | the day to which the age is counted (default: today)
-- column: device | device | |
-- column: per_device_hour | USD/h/device | 4 | derived: the amount, shared by the devices
-- column: amount | amount | 2 | for all devices
-- column: devices | devices | | 1: published per device
-- column: provider | provider | |
-- column: instance | instance | |
-- column: provider_kind | kind of provider | |
-- column: kind | kind | |
-- column: region | region | |
-- column: valid_from | of | | date of the price; FIRST/LAST where it lies between two days
-- column: age_days | days old | 0 | from the first day
-- column: source | source | |
-- column: locator | where | cut40 |
-- screen: device per_device_hour devices provider provider_kind kind region valid_from age_days
-- hoist: kind region source
SELECT device, per_device_hour, amount, devices, provider, instance,
       (SELECT q.kind FROM v_provider q WHERE q.provider = p.provider) AS provider_kind, kind, region, valid_from,
       julianday(coalesce(:today, date('now'))) - julianday(first_day) AS age_days, source, locator, key AS _facts
  FROM v_price p
 WHERE (:device IS NULL OR device = :device) AND (:provider IS NULL OR provider = :provider) AND (:kind IS NULL OR kind = :kind)
 ORDER BY device, per_device_hour, key;
