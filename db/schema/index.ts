export * from "./executions";
export * from "./mail";
export * from "./market";
export * from "./operations";
export * from "./payments";
export * from "./sign-in";
export * from "./signals";
export * from "./subscriptions";
