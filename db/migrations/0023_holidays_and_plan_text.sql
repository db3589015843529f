UPDATE "calendars" SET "holidays" = '{"01-01 observed","easter-2","easter+1","first monday 05","last monday 05","last monday 08","12-25 observed","12-26 observed"}'
 WHERE "name" = 'uk_index' AND "holidays" = '{"01-01","easter-2","12-25"}';--> statement-breakpoint
UPDATE "calendars" SET "holidays" = '{"01-01","01-02","12-31"}' WHERE "name" = 'jp_index' AND "holidays" = '{"01-01"}';--> statement-breakpoint
UPDATE "plans" SET "for_whom" = 'Signals in Telegram, plus API access to try things out'
 WHERE "name" = 'telegram' AND "for_whom" = 'Signals in your chat, with room to try the interface';
