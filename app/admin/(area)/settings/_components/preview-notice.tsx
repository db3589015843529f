import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import type { Flash } from "@/lib/auth/flash";

/** The preview in a form: the effects of the change, and the button that stores it. */
export function PreviewNotice({ flash, form }: { flash: Flash | null; form: string }) {
  if (flash?.kind !== "preview" || flash.form !== form) return null;
  const isHarmful = flash.cutsOff > 0;
  return (
    <div id={form} className="scroll-mt-20">
      <Notice
        tone={isHarmful ? "danger" : "warn"}
        title={
          isHarmful
            ? `This would cut off ${flash.cutsOff} subscriber${flash.cutsOff === 1 ? "" : "s"}. Nothing is stored yet.`
            : "Nothing is stored yet"
        }
        announce
        actions={
          <Button type="submit" name="mark" value={flash.mark} variant={isHarmful ? "danger" : "primary"}>
            {isHarmful ? "Store anyway" : "Store it"}
          </Button>
        }
      >
        <ul className="list-disc space-y-1 pl-5">
          {flash.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
