import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link inside the site. Nothing is fetched ahead, because every page is rendered for its reader at that moment; a
 * page fetched ahead would cost a query and be thrown away.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
