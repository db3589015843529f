/** The text of a document, as next.config.mjs says. */
declare module "*.md" {
  const text: string;
  export default text;
}
