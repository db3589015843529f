import { readFileSync } from "node:fs";
import { join } from "node:path";

type Source = Readonly<Record<string, string | undefined>>;

/** How a secret was given beside its own variable. */
interface Given {
  /** What an error names. */
  as: string;
  path: string;
}

/**
 * The variables with every secret that stands in a file: the file that `NAME_FILE` names, or systemd's credential `NAME`
 * in `CREDENTIALS_DIRECTORY`. The line breaks at the end of a file are not part of the secret. A secret has one place.
 */
export function withSecretFiles(
  source: Source,
  names: readonly string[],
): { source: Source; problems: string[] } {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of names) {
    const contents = placesOf(source, name).flatMap((place) => {
      const content = readSecret(place);
      return content === null ? [] : [{ ...place, content }];
    });
    const isInline = Boolean(source[name]?.trim());
    if (contents.length + (isInline ? 1 : 0) > 1)
      problems.push(`${name}: is given more than once: as a variable, a file or a credential`);
    const [first] = contents;
    if (first === undefined) continue;
    if (typeof first.content !== "string") problems.push(`${first.as}: cannot be read`);
    else if (first.content.trim() === "") problems.push(`${first.as}: is empty`);
    else found[name] = first.content;
  }
  return { source: { ...source, ...found }, problems };
}

function placesOf(source: Source, name: string): Given[] {
  const file = source[`${name}_FILE`]?.trim();
  const directory = source.CREDENTIALS_DIRECTORY?.trim();
  return [
    ...(file ? [{ as: `${name}_FILE`, path: file }] : []),
    ...(directory ? [{ as: `the credential ${name}`, path: join(directory, name) }] : []),
  ];
}

/** The secret in a file; an error when it cannot be read; null: systemd has no credential of this name. */
function readSecret({ as, path }: Given): string | Error | null {
  try {
    return readFileSync(/* turbopackIgnore: true */ path, "utf8").replace(/[\r\n]+$/, "");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isAbsent = "code" in error && error.code === "ENOENT";
    return isAbsent && as.startsWith("the credential") ? null : error;
  }
}
