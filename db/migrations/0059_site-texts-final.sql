-- What somebody accepted can always be read again.
CREATE TRIGGER "site_texts_final" BEFORE UPDATE OR DELETE ON "site_texts"
  FOR EACH ROW EXECUTE FUNCTION "rows_never_change"();
