import { notFound } from "next/navigation";
import { Article, docsMetadata } from "@/app/(site)/docs/_parts/article";

interface Props {
  params: Promise<{ page: string }>;
}

export const generateMetadata = async ({ params }: Props) => docsMetadata((await params).page);

/** Renders a documentation page from its file in docs/site. The index page is `/docs`. */
export default async function DocsPage({ params }: Props) {
  const { page } = await params;
  if (page === "index") notFound();
  return <Article name={page} />;
}
