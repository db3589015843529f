-- A key's beat is written every five seconds. With room for it on the page of the one before, no index changes and what it
-- replaces is cleaned away without a vacuum. Rows that are there move to pages with room as they are written.
ALTER TABLE "key_heartbeats" SET (fillfactor = 70);
