import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });

/**
 * The files to check, as pathspecs of git. To widen the check, add a folder that has no hit left. docs/security.md is
 * left out because it quotes test titles.
 */
const CHECKED = [
  "*.md",
  ".env.example",
  "deploy",
  "db",
  "lib",
  "public/ea-kit",
  "public/enhance.js",
  "public/verify",
  "app",
  "emails",
  ":!docs/security.md",
  ":!lib/engine/README.md",
];

/** Phrases to avoid, each with a plain replacement. */
const PHRASES: Readonly<Record<string, string>> = {
  "of its own": "its own, or separate",
  "of their own": "their own, or separate",
  "of one's own": "your own",
  anew: "again",
  "as good as": "almost",
  "is let go of": "is released",
  "are let go of": "are released",
  whoever: "name the person or the caller",
  somebody: "name the person or the caller",
  "is said of": "name the field or the setting",
  "what is due": "name the due job or message",
  "hears of": "gets, or is notified of",
  "held against": "compared with",
};

/** A block of code, in which a line may begin with `#` as well. */
const FENCED = /^```.*?^```/gms;

/** Words that begin a clause: a heading is a noun phrase. */
const CLAUSE = /^#+ (?:who|what|when|where|why|how|which|whether|if|that|told|against|into)\b.*$/gim;

/** A space of a phrase may be the end of a line, with the mark of a comment or list at the beginning of the next one. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:/{2}\|?|\*|#|;;|--|\|)[ \t]*)?)`;

const MAX_SUBJECT_LENGTH = 72;

interface Hit {
  line: number;
  text: string;
  advice: string;
}

/** Finds the phrases and headings of a text that are not plain English. */
export function findWordingProblems(file: string, text: string): Hit[] {
  const hits = Object.entries(PHRASES).flatMap(([phrase, advice]) =>
    [...text.matchAll(new RegExp(String.raw`\b${phrase.replaceAll(" ", GAP)}\b`, "gi"))].map(({ index }) => ({
      index,
      text: phrase,
      advice: `write: ${advice}`,
    })),
  );
  const headings = file.endsWith(".md")
    ? [...text.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, " ")).matchAll(CLAUSE)].map(
        ({ index, 0: heading }) => ({
          index,
          text: heading,
          advice: "a heading is a noun phrase",
        }),
      )
    : [];
  return [...hits, ...headings].map(({ index, ...hit }) => ({
    line: text.slice(0, index).split("\n").length,
    ...hit,
  }));
}

/** The subjects of commits that are too long. Git writes the subject of a merge itself. */
export const findLongSubjects = (subjects: readonly string[]): string[] =>
  subjects.filter((subject) => subject.length > MAX_SUBJECT_LENGTH && !subject.startsWith("Merge "));

/**
 * One line for each place to rewrite (`file:line`, the phrase, and what to write instead) and for each commit subject
 * that is too long since the last release.
 */
export function checkWording(): string[] {
  const texts = git("ls-files", "--", ...CHECKED)
    .trim()
    .split("\n")
    .flatMap((file) =>
      findWordingProblems(file, readFileSync(join(root, file), "utf8")).map(
        ({ line, text, advice }) => `${file}:${line}: "${text}": ${advice}`,
      ),
    );
  // A shallow clone may not contain the release: it has no subjects to check.
  const release = git("log", "-1", "--format=%H", "--grep=^release: [0-9]").trim();
  const subjects = release === "" ? [] : git("log", "--format=%s", `${release}..HEAD`).trim().split("\n");
  const long = findLongSubjects(subjects).map(
    (subject) => `commit "${subject}": ${subject.length} letters, at most ${MAX_SUBJECT_LENGTH}`,
  );
  return [...texts, ...long];
}
