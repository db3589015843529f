export default function Landing() {
  return <h1>Signal Delivery Service</h1>;
}
