/**
 * What a host can do for a tool, by the names that a tool imports it by. Each is there once the world that build.mjs names
 * links it, and does something once an operator grants it. Node has none of it: import it in modules that tests do not load.
 *
 * What one refuses is thrown: an `Error` whose `payload` is the error of the interface.
 */

/** Programs of the machine, in the world `component-with-process`. `wit/deps/host/process.wit` says more. */
declare module "fumehood:host/process@0.1.0" {
  export interface Request {
    /** The granted name: `git`. The operator decides which file that is. */
    program: string;
    /** Without the program's name. No shell reads them. */
    args: string[];
    /** An absolute path as the tool sees it, in a granted directory. */
    workingDirectory?: string;
    stdin?: Uint8Array;
    /** The most to keep of standard output and of standard error, each. */
    outputBytes?: number;
    /** Kill it after so long. */
    timeLimitMs?: number;
  }

  /** A program that ran. A status other than zero is no error. */
  export interface Completed {
    /** Its exit status, or the signal that killed it. */
    exit: { tag: "code" | "signal"; val: number };
    timedOut: boolean;
    stdout: Uint8Array;
    stderr: Uint8Array;
    stdoutTruncated: boolean;
    stderrTruncated: boolean;
  }

  /** The `payload` of what is thrown. */
  export interface ProcessError {
    tag: "not-granted" | "invalid" | "unavailable";
    val: string;
  }

  export function run(request: Request): Completed;
}

/** Other tools, in the world `component-with-tools`. `wit/deps/host/tools.wit` says more. */
declare module "fumehood:host/tools@0.1.0" {
  /** The `payload` of what is thrown. */
  export interface CallError {
    /** `DENIED` or `TOOL_FAILED`, for two. */
    code: string;
    message: string;
  }

  /** The value of one tool for these arguments, each as one JSON text. */
  export function call(tool: string, args: string): string;
  /** The tools that may be called. */
  export function list(): string[];
}

/** WASI, without types: `wit/deps` has what there is, in camel case. */
declare module "wasi:*";
