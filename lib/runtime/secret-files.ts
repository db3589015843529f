import { readFileSync } from "node:fs";
import { join } from "node:path";

type Source = Readonly<Record<string, string | undefined>>;

/** A secret given in a file. */
interface Given {
  /** Name of the variable or credential, for error messages. */
  as: string;
  path: string;
}

/**
 * Adds to `source` every secret of `names` that is given in a file: the file named by `NAME_FILE`, or systemd's
 * credential `NAME` in `CREDENTIALS_DIRECTORY`. Trailing line breaks are not part of the secret. A secret that is given
 * twice, unreadable or empty is listed in `problems`.
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

/** The secret in a file; an Error if the file is unreadable; null if systemd has no credential of this name. */
function readSecret({ as, path }: Given): string | Error | null {
  try {
    return readFileSync(/* turbopackIgnore: true */ path, "utf8").replace(/[\r\n]+$/, "");
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isAbsent = "code" in error && error.code === "ENOENT";
    return isAbsent && as.startsWith("the credential") ? null : error;
  }
}
