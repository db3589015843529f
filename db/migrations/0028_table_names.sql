-- The old names stay as views, because the statements of release 1.3.0 name them. The release after this one can drop the
-- views. Triggers keep their names, because renaming a trigger locks its table.
ALTER TABLE "told_champions" RENAME TO "announced_champions";--> statement-breakpoint
ALTER TABLE "announced_champions" RENAME CONSTRAINT "told_champions_pkey" TO "announced_champions_pkey";--> statement-breakpoint
ALTER TABLE "announced_champions" RENAME CONSTRAINT "told_champions_slot_id_slots_id_fk" TO "announced_champions_slot_id_slots_id_fk";--> statement-breakpoint
ALTER TABLE "untold_results" RENAME TO "pending_result_events";--> statement-breakpoint
ALTER TABLE "pending_result_events" RENAME CONSTRAINT "untold_results_pkey" TO "pending_result_events_pkey";--> statement-breakpoint
ALTER TABLE "pending_result_events" RENAME CONSTRAINT "untold_results_signal_id_signals_id_fk" TO "pending_result_events_signal_id_signals_id_fk";--> statement-breakpoint
ALTER TABLE "alert_tellings" RENAME TO "alert_notifications";--> statement-breakpoint
ALTER TABLE "alert_notifications" RENAME CONSTRAINT "alert_tellings_administrator_id_administrators_id_fk" TO "alert_notifications_administrator_id_administrators_id_fk";--> statement-breakpoint
ALTER TABLE "alert_notifications" RENAME CONSTRAINT "alert_tellings_administrator_id_episode_id_round_pk" TO "alert_notifications_administrator_id_episode_id_round_pk";--> statement-breakpoint
ALTER TABLE "alert_notifications" RENAME CONSTRAINT "alert_tellings_episode_id_alert_episodes_id_fk" TO "alert_notifications_episode_id_alert_episodes_id_fk";--> statement-breakpoint
ALTER INDEX "alert_tellings_episode" RENAME TO "alert_notifications_episode";--> statement-breakpoint
ALTER TABLE "alert_choices" RENAME TO "alert_settings";--> statement-breakpoint
ALTER TABLE "alert_settings" RENAME CONSTRAINT "alert_choices_administrator_id_administrators_id_fk" TO "alert_settings_administrator_id_administrators_id_fk";--> statement-breakpoint
ALTER TABLE "alert_settings" RENAME CONSTRAINT "alert_choices_pkey" TO "alert_settings_pkey";--> statement-breakpoint
ALTER TABLE "alert_settings" RENAME CONSTRAINT "alert_choices_quiet" TO "alert_settings_quiet";--> statement-breakpoint
ALTER TABLE "alert_settings" RENAME CONSTRAINT "alert_choices_way" TO "alert_settings_way";--> statement-breakpoint
ALTER TABLE "guard_counts" RENAME TO "attempt_counts";--> statement-breakpoint
ALTER TABLE "attempt_counts" RENAME CONSTRAINT "guard_counts_pkey" TO "attempt_counts_pkey";--> statement-breakpoint
ALTER TABLE "ranges" RENAME TO "candle_forecast_ranges";--> statement-breakpoint
ALTER TABLE "candle_forecast_ranges" RENAME CONSTRAINT "ranges_resolved" TO "candle_forecast_ranges_resolved";--> statement-breakpoint
ALTER TABLE "candle_forecast_ranges" RENAME CONSTRAINT "ranges_slot_id_slots_id_fk" TO "candle_forecast_ranges_slot_id_slots_id_fk";--> statement-breakpoint
ALTER TABLE "candle_forecast_ranges" RENAME CONSTRAINT "ranges_slot_id_ts_pk" TO "candle_forecast_ranges_slot_id_ts_pk";--> statement-breakpoint
ALTER INDEX "ranges_closes_at" RENAME TO "candle_forecast_ranges_closes_at";--> statement-breakpoint
ALTER INDEX "ranges_open" RENAME TO "candle_forecast_ranges_open";--> statement-breakpoint
ALTER TABLE "open_days" RENAME TO "dirty_days";--> statement-breakpoint
ALTER TABLE "dirty_days" RENAME CONSTRAINT "open_days_kind" TO "dirty_days_kind";--> statement-breakpoint
ALTER TABLE "dirty_days" RENAME CONSTRAINT "open_days_kind_slot_id_day_pk" TO "dirty_days_kind_slot_id_day_pk";--> statement-breakpoint
ALTER TABLE "dirty_days" RENAME CONSTRAINT "open_days_slot_id_slots_id_fk" TO "dirty_days_slot_id_slots_id_fk";--> statement-breakpoint
ALTER INDEX "open_days_newest" RENAME TO "dirty_days_newest";--> statement-breakpoint
ALTER TABLE "ledger_due" RENAME TO "ledger_outbox";--> statement-breakpoint
ALTER TABLE "ledger_outbox" RENAME CONSTRAINT "ledger_due_kind" TO "ledger_outbox_kind";--> statement-breakpoint
ALTER TABLE "ledger_outbox" RENAME CONSTRAINT "ledger_due_pkey" TO "ledger_outbox_pkey";--> statement-breakpoint
ALTER SEQUENCE "ledger_due_id_seq" RENAME TO "ledger_outbox_id_seq";--> statement-breakpoint
ALTER TABLE "portal_looks" RENAME TO "portal_read_markers";--> statement-breakpoint
ALTER TABLE "portal_read_markers" RENAME CONSTRAINT "portal_looks_pkey" TO "portal_read_markers_pkey";--> statement-breakpoint
ALTER TABLE "portal_read_markers" RENAME CONSTRAINT "portal_looks_subscription_id_subscriptions_id_fk" TO "portal_read_markers_subscription_id_subscriptions_id_fk";--> statement-breakpoint
ALTER TABLE "ledger_slots" RENAME TO "sealed_candle_ranges";--> statement-breakpoint
ALTER TABLE "sealed_candle_ranges" RENAME CONSTRAINT "ledger_slots_pkey" TO "sealed_candle_ranges_pkey";--> statement-breakpoint
ALTER TABLE "sealed_candle_ranges" RENAME CONSTRAINT "ledger_slots_slot_id_slots_id_fk" TO "sealed_candle_ranges_slot_id_slots_id_fk";--> statement-breakpoint
CREATE VIEW "told_champions" AS SELECT "slot_id", "model_v" FROM "announced_champions";--> statement-breakpoint
CREATE VIEW "untold_results" AS SELECT "signal_id" FROM "pending_result_events";--> statement-breakpoint
CREATE VIEW "alert_tellings" AS SELECT "administrator_id", "episode_id", "round", "at" FROM "alert_notifications";--> statement-breakpoint
CREATE VIEW "alert_choices" AS SELECT "administrator_id", "topics", "way", "telegram_chat_id", "webhook_url", "webhook_secret_encrypted", "time_zone", "quiet_from", "quiet_to", "updated_at" FROM "alert_settings";--> statement-breakpoint
CREATE VIEW "guard_counts" AS SELECT "name_hash", "window_start", "n" FROM "attempt_counts";--> statement-breakpoint
CREATE VIEW "ranges" AS SELECT "slot_id", "ts", "closes_at", "close", "either", "up", "down", "moved_up", "moved_down", "created_at" FROM "candle_forecast_ranges";--> statement-breakpoint
CREATE VIEW "open_days" AS SELECT "kind", "slot_id", "day", "touched_at" FROM "dirty_days";--> statement-breakpoint
CREATE VIEW "ledger_due" AS SELECT "id", "kind", "slot_id", "content", "at" FROM "ledger_outbox";--> statement-breakpoint
CREATE VIEW "portal_looks" AS SELECT "subscription_id", "seen_until" FROM "portal_read_markers";--> statement-breakpoint
CREATE VIEW "ledger_slots" AS SELECT "slot_id", "sealed_from", "sealed_to" FROM "sealed_candle_ranges";--> statement-breakpoint
ALTER FUNCTION ledger_due_on_changed_candles() RENAME TO ledger_outbox_on_changed_candles;--> statement-breakpoint
CREATE OR REPLACE FUNCTION ledger_outbox_on_changed_candles() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into ledger_outbox (kind, slot_id, content)
  select 'correction', c.slot_id, jsonb_build_object('ts', extract(epoch from c.ts)::bigint,
           'before', jsonb_build_array(f.open, f.high, f.low, f.close),
           'after', jsonb_build_array(c.open, c.high, c.low, c.close))
    from fresh c
    join former f on f.slot_id = c.slot_id and f.ts = c.ts
    join sealed_candle_ranges l on l.slot_id = c.slot_id
   where c.ts between l.sealed_from and l.sealed_to
     and (c.open, c.high, c.low, c.close) is distinct from (f.open, f.high, f.low, f.close)
   order by c.slot_id, c.ts;
  return null;
end
$$;--> statement-breakpoint
ALTER FUNCTION ledger_due_on_late_candles() RENAME TO ledger_outbox_on_late_candles;--> statement-breakpoint
CREATE OR REPLACE FUNCTION ledger_outbox_on_late_candles() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into ledger_outbox (kind, slot_id, content)
  select 'correction', c.slot_id, jsonb_build_object('ts', extract(epoch from c.ts)::bigint, 'before', null,
           'after', jsonb_build_array(c.open, c.high, c.low, c.close))
    from fresh c join sealed_candle_ranges l on l.slot_id = c.slot_id
   where c.ts between l.sealed_from and l.sealed_to
   order by c.slot_id, c.ts;
  return null;
end
$$;--> statement-breakpoint
ALTER FUNCTION ledger_due_on_promotion() RENAME TO ledger_outbox_on_promotion;--> statement-breakpoint
CREATE OR REPLACE FUNCTION ledger_outbox_on_promotion() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into ledger_outbox (kind, slot_id, content)
  values ('promotion', new.slot_id, jsonb_build_object('model_v', new.model_v, 'class_frequencies', to_jsonb(new.class_freq)));
  return null;
end
$$;--> statement-breakpoint
ALTER FUNCTION open_days_on_outcomes() RENAME TO dirty_days_on_outcomes;--> statement-breakpoint
CREATE OR REPLACE FUNCTION dirty_days_on_outcomes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into dirty_days as d (kind, slot_id, day)
  select distinct c.kind, f.slot_id, (c.at at time zone 'UTC')::date
    from fresh f
   cross join lateral (
     select 'forecasts' as kind, f.closes_at as at
     union all
     select 'results', f.ended_at where f.result_r is not null
   ) c
   order by 1, 2, 3
  on conflict (kind, slot_id, day) do update set touched_at = now();
  return null;
end
$$;--> statement-breakpoint
ALTER FUNCTION open_days_on_signals() RENAME TO dirty_days_on_signals;--> statement-breakpoint
CREATE OR REPLACE FUNCTION dirty_days_on_signals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into dirty_days as d (kind, slot_id, day)
  select distinct 'signals', f.slot_id, (f.ts at time zone 'UTC')::date from fresh f order by 2, 3
  on conflict (kind, slot_id, day) do update set touched_at = now();
  return null;
end
$$;--> statement-breakpoint
ALTER FUNCTION open_every_day() RENAME TO mark_every_day_dirty;--> statement-breakpoint
CREATE OR REPLACE FUNCTION mark_every_day_dirty() RETURNS void
    LANGUAGE sql
    AS $$
  insert into dirty_days (kind, slot_id, day, touched_at)
  select k.kind, s.id, d::date, 'epoch'
    from slots s
   cross join lateral (
     select 'signals' as kind, (select min(g.ts) from signals g where g.slot_id = s.id) as first
     union all
     select kind, (select min(o.closes_at) from outcomes o where o.slot_id = s.id)
       from unnest(array['forecasts', 'results']) kind
   ) k
   cross join lateral generate_series((k.first at time zone 'UTC')::date, (now() at time zone 'UTC')::date, '1 day') d
  on conflict (kind, slot_id, day) do update set touched_at = excluded.touched_at
$$;
