import { Inbox } from "lucide-react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import {
  hiddenFilter,
  type ListFilterValues,
  parseListQuery,
  searchFilter,
  selectFilter,
} from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import { toQuerySuffix } from "@/lib/paths";

const address = (values: ListFilterValues) => `/list${toQuerySuffix(values)}`;

const FILTERS = {
  q: searchFilter("Part of a name"),
  kind: selectFilter("Kind", { a: "A" }),
  order: hiddenFilter(["name"]),
};

function render(
  shown: Record<string, string | undefined>,
  page: string,
  total: number,
  rows: string[],
): string {
  return renderToStaticMarkup(
    <PagedList
      noun="thing"
      caption="Things"
      list={parseListQuery(FILTERS, { ...shown, page })}
      address={address}
      columns={[{ key: "name", header: "Name", primary: true, cell: (row: string) => row }]}
      rows={rows}
      rowKey={(row) => row}
      total={total}
      empty={{ icon: Inbox, title: "No thing yet", text: "Things come." }}
    />,
  ).replaceAll("&amp;", "&");
}

describe("a paged list", () => {
  it("a paged list shows its row range and total, and its page links keep filter and order", () => {
    const html = render({ q: "x", kind: undefined, order: "name" }, "2", 120, ["one"]);
    expect(html).toContain("51–100 of 120 things");
    expect(html).toContain('href="/list?q=x&order=name&page=1"');
    expect(html).toContain('href="/list?q=x&order=name&page=3"');
  });

  it("a paged list keeps its order when a filter is applied or cleared", () => {
    const html = render({ q: "x", kind: undefined, order: "name" }, "1", 1, ["one"]);
    expect(html).toContain('<input type="hidden" name="order" value="name"/>');
    expect(html).toMatch(/href="\/list\?order=name"[^>]*>Clear/);
  });

  it("a paged list without a filter has no clear link", () => {
    expect(render({ q: undefined, order: "name" }, "1", 1, ["one"])).not.toContain("Clear");
  });

  it("a page of a list beyond the last one links back to the last page", () => {
    const html = render({ kind: "a" }, "9", 120, []);
    expect(html).toContain("There is no page 9");
    expect(html).toMatch(/href="\/list\?kind=a&page=3"[^>]*>Last page/);
    expect(html).not.toContain("No thing yet");
  });

  it("an empty paged list says that nothing matches with a filter, and that there is no data without one", () => {
    expect(render({ q: "zzz" }, "1", 0, [])).toContain("Nothing matches");
    expect(render({}, "1", 0, [])).toContain("No thing yet");
  });
});
