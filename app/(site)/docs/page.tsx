import { connection } from "next/server";
import { Article, docsMetadata } from "./_parts/article";

export const generateMetadata = () => docsMetadata("index");

export default async function QuickStart() {
  await connection();
  return <Article name="index" />;
}
