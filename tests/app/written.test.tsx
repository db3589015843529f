import fc from "fast-check";
import { createContext, type ElementType, memo, type ReactNode, useId } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { htmlOf, Written } from "@/app/_components/written";

const asReact = (node: ReactNode) => renderToStaticMarkup(node);
const SIGNS = "&<>\"'`=/ a-\u00a0\u2212\u{1f600}</td><script>alert(1)</script>";

const Row = ({ name, values }: { name: string; values: readonly number[] }) => (
  <tr aria-rowindex={1}>
    <th scope="row">{name}</th>
    {values.map((value) => (
      <td key={value} data-phone="lower" aria-hidden={value < 0}>
        {value} R{value > 1 && <span className="sm:hidden"> won</span>}
      </td>
    ))}
  </tr>
);

describe("what is written as HTML", () => {
  it.each([
    ["text, numbers and nothing", ["a", 1, -0.5, 0, null, undefined, true, false, [["b"], "c"]]],
    ["rows of a table", <Row key="a" name={SIGNS} values={[1, 2, -3]} />],
    [
      "a drawing",
      <svg key="a" viewBox="0 0 8 8" width="100%" height={8} preserveAspectRatio="none" aria-hidden="true">
        <title>{SIGNS}</title>
        <g className="a b">
          <path d="M0 0h4" strokeDasharray="2 3" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
          <text x="100%" y={1.5} dx="5" dy="0.35em" textAnchor="end">
            n = {12}
            <tspan x="1%">of {SIGNS}</tspan>
          </text>
          <polyline points="1,2 3,4" fill="none" stroke="red" strokeLinecap="round" strokeLinejoin="round" />
          <rect rx="1.5" fillOpacity={0.5} strokeOpacity={0.5} clipRule="evenodd" fillRule="evenodd" />
        </g>
      </svg>,
    ],
    [
      "what is hidden, and what is not",
      <>
        <p hidden title={SIGNS} id="a" />
        <p hidden={false} className="" />
        <time dateTime="2026-11-23">
          23 Nov
          <br />
        </time>
        <table>
          <colgroup>
            <col />
          </colgroup>
          <tbody>
            <tr>
              <td colSpan={2} rowSpan={3} />
            </tr>
          </tbody>
        </table>
      </>,
    ],
    [
      "links within the site",
      [
        <a key="a" href={`/record?a=1&b="'<`} className="link">
          a
        </a>,
        <a key="b" href="#here">
          b
        </a>,
        <a key="c" href="?x=1" tabIndex={0}>
          c
        </a>,
      ],
    ],
  ])("is what React writes: %s", (_, node) => {
    expect(htmlOf(node)).toBe(asReact(node));
  });

  it("is what React writes, whatever the texts and attributes hold", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(...SIGNS, SIGNS));
    fc.assert(
      fc.property(text, text, fc.double(), (one, other, number) => {
        const node = (
          <td className={one} data-label={other} title={`${one}${other}`}>
            {one}
            <b>{other}</b>
            {number}
          </td>
        );
        expect(htmlOf(node)).toBe(asReact(node));
      }),
    );
  });

  it("stands in the element that it was asked for", () => {
    const rows = <Row name={SIGNS} values={[1, 2]} />;
    expect(
      asReact(
        <table>
          <Written as="tbody" role="rowgroup" className="divide-y">
            {rows}
          </Written>
        </table>,
      ),
    ).toBe(
      asReact(
        <table>
          {/* biome-ignore lint/a11y/noRedundantRoles: as the tables of the site have it */}
          <tbody role="rowgroup" className="divide-y">
            {rows}
          </tbody>
        </table>,
      ),
    );
  });
});

describe("what is not written", () => {
  const Context = createContext("");
  const Hooked = () => <p id={useId()} />;
  const Waiting = async () => <p />;
  const Any = "script" as ElementType;
  const Evil = 'a onclick="x"' as ElementType;
  it.each<[string, ReactNode]>([
    ["a script", <Any key="a">1</Any>],
    ["a tag that is none", <Evil key="a" />],
    ["a style", <p key="a" style={{ color: "red" }} />],
    ["a handler", <p key="a" {...{ onClick: () => undefined }} />],
    ["HTML that someone else wrote", <p key="a" {...{ dangerouslySetInnerHTML: { __html: "<b>" } }} />],
    ["an attribute with a sign in its name", <p key="a" {...{ 'data-x" onclick="x': "1" }} />],
    ["an attribute that nobody thought of", <p key="a" {...{ srcDoc: "<b>" }} />],
    ["an object as a text", <p key="a" {...Object({ title: { toString: () => "x" } })} />],
    [
      "a script as an address",
      <a key="a" {...{ href: ["javascript", "alert(1)"].join(":") }}>
        x
      </a>,
    ],
    [
      "another site",
      <a key="a" href="https://example.com">
        x
      </a>,
    ],
    [
      "another site without a protocol",
      <a key="a" href="//example.com">
        x
      </a>,
    ],
    [
      "another site, the way browsers read it",
      <a key="a" href="/\example.com">
        x
      </a>,
    ],
    [
      "a tab in an address, which browsers leave out",
      <a key="a" href={"/\t/example.com"}>
        x
      </a>,
    ],
    ["a component with a hook", <Hooked key="a" />],
    ["a component that waits", <Waiting key="a" />],
    ["a context", <Context.Provider key="a" value="x" />],
    ["a component that keeps something", [memo(Hooked)].map((Kept) => <Kept key="a" />)],
    ["an object", { toString: () => "x" } as unknown as ReactNode],
  ])("%s", (_, node) => {
    const quiet = console.error;
    console.error = () => undefined;
    try {
      expect(() => htmlOf(node)).toThrow();
    } finally {
      console.error = quiet;
    }
  });
});
