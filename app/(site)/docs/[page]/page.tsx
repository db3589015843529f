import { notFound } from "next/navigation";
import { Article, docsMetadata } from "@/app/(site)/docs/_parts/article";

interface Props {
  params: Promise<{ page: string }>;
}

export const generateMetadata = async ({ params }: Props) => docsMetadata((await params).page);

/** A page of the documentation: a file of docs/site. The first one has an address of its own. */
export default async function DocsPage({ params }: Props) {
  const { page } = await params;
  if (page === "index") notFound();
  return <Article name={page} />;
}
