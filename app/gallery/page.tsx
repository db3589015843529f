import { notFound } from "next/navigation";
import { Gallery } from "@/app/_gallery/gallery";

export const metadata = { title: "Gallery", robots: { index: false } };

/** Every shared component in its states, for developers; not part of the shipped site. */
export default function GalleryPage() {
  if (process.env.NODE_ENV === "production") notFound();
  return <Gallery />;
}
