// `imsmanifest.xml` of a lesson: one item, one resource, and every file of it (ADL SCORM 1.2, Content Aggregation Model).
//
// Invariant: pure. What a lesson is called is escaped; identifiers are XML names. The schemas are named, not copied:
// platforms have their own.

export interface Packed {
  slug: string;
  title: string;
  /** Where the platform begins. */
  entry: string;
  files: readonly string[];
}

const IMSCP = "http://www.imsproject.org/xsd/imscp_rootv1p1p2";
const ADLCP = "http://www.adlnet.org/xsd/adlcp_rootv1p2";

export function manifest({ slug, title, entry, files }: Packed): string {
  const name = `glowgrad-${slug.replace(/[^\w.-]/g, "-")}`;
  const listed = files.map((file) => `      <file href="${escaped(encodeURI(file))}"/>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="${name}" version="1.0"
    xmlns="${IMSCP}"
    xmlns:adlcp="${ADLCP}"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="${IMSCP} imscp_rootv1p1p2.xsd ${ADLCP} adlcp_rootv1p2.xsd">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>${escaped(title)}</title>
      <item identifier="lesson" identifierref="page" isvisible="true">
        <title>${escaped(title)}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href="${escaped(entry)}">
${listed}
    </resource>
  </resources>
</manifest>
`;
}

const SIGNS: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** As XML has it, which has no control characters but tabs and ends of lines. */
function escaped(text: string): string {
  const allowed = [...text].filter((letter) => letter >= " " || letter === "\t" || letter === "\n");
  return allowed.join("").replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}
