#[differentiable(grad)]
fn gravity_energy(bodies: &[Body]) -> f64 {
    let mut energy = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        let v = &a.velocity;
        energy += 0.5 * a.mass * (v.x * v.x + v.y * v.y + v.z * v.z);
        for b in &bodies[i + 1..] {
            let dx = a.position.x - b.position.x;
            let dy = a.position.y - b.position.y;
            let dz = a.position.z - b.position.z;
            energy -= a.mass * b.mass / (dx * dx + dy * dy + dz * dz).sqrt();
        }
    }
    energy
}

#[differentiable(grad)]
fn coulomb(charges: &[(f64, [f64; 2])]) -> f64 {
    let mut e = 0.0;
    for (i, (qi, ri)) in charges.iter().enumerate() {
        for (qj, rj) in charges.iter().take(i) {
            let d = ((ri[0] - rj[0]).powi(2) + (ri[1] - rj[1]).powi(2)).sqrt();
            e += qi * qj / d;
        }
    }
    e
}

#[differentiable(grad)]
fn thin_lens(rays: &[(f64, f64)], focal: f64, distance: f64) -> f64 {
    rays.iter()
        .map(|&(y, u)| {
            let (y, u) = (y, u - y / focal);
            let y = y + distance * u;
            y * y
        })
        .sum::<f64>()
        .sqrt()
}

#[differentiable(grad)]
fn bond_lengths(positions: &Array2<f64>, bonds: &[(usize, usize)], rest: f64) -> f64 {
    bonds
        .iter()
        .map(|&(i, j)| {
            let d = &positions.row(i) - &positions.row(j);
            (d.dot(&d).sqrt() - rest).powi(2)
        })
        .sum()
}

// gravity_is: gravity_energy, gravity_energy_value_and_grad, b: vec![body(0), body(1), body(2)] => (&b);
// coulomb_is: coulomb, coulomb_value_and_grad, c: vec![(1.0, [0.0, 0.1]), (-1.0, [1.0, 0.2]), (0.5, [0.3, 1.1])] => (&c);
// thin_lens_is: thin_lens, thin_lens_value_and_grad, r: vec![(0.1, 0.2), (0.5, -0.1)], f: 1.5, d: 2.0 => (&r, f, d);
// bonds_are: bond_lengths, bond_lengths_value_and_grad, p: matrix(4, 3), r: 0.8 => (&p, &[(0, 1), (1, 3)], r);
